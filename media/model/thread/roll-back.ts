import type { ThreadEvent } from "../../../agent-host/protocol/thread/events.ts";
import type { Entry } from "./entry.ts";
import type { Transcript, Version } from "./transcript.ts";
import type { TranscriptBuilder } from "./transcript-builder.ts";

type RolledBack = Extract<ThreadEvent, { readonly type: "rolledBack" }>;
type Builder = TranscriptBuilder<Transcript>;

/**
 * Removes the turns and everything that came after them, and says so in one line. After that, the full context is sent
 * again.
 */
export function rollBack(builder: Builder, { turnIds, restored }: RolledBack, key: string): void {
	const gone = new Set<string>(turnIds);
	const all = builder.listEntries();
	// One action has one line: that of the files goes into that of the turns.
	const files = restored ? all.at(-1) : undefined;
	const before = files?.kind === "restored" ? all.slice(0, -1) : all;
	const first = before.findIndex(({ turnId }) => gone.has(turnId));
	builder.set({ versions: [...builder.value.versions, versionOf(builder, before)] });
	builder.setEntries(first < 0 ? before : before.slice(0, first));
	addLine(builder, { key, turns: gone.size, files: files?.kind === "restored" ? files.files : 0 });
	const pins = new Map([...builder.value.pins].filter(([, turnId]) => !gone.has(turnId)));
	builder.set({ undoable: undefined, hasContext: false, pins });
}

/**
 * Brings back the thread before the last rollback. As in the host, what it takes away can be brought back by undoing
 * further.
 */
export function undoRollback(builder: Builder, gone: readonly string[], key: string): void {
	const [version, ...others] = builder.value.versions.toReversed();
	if (version === undefined) return;
	const left = others.toReversed();
	const now = versionOf(builder, builder.listEntries());
	const { entries, ...rest } = version;
	builder.setEntries(entries);
	builder.set({ ...rest, hasContext: false });
	builder.set({ versions: gone.length > 0 ? [now, ...left] : left });
	if (gone.length > 0) addLine(builder, { key, turns: gone.length, files: 0 });
}

function addLine(
	builder: Builder,
	line: { readonly key: string; readonly turns: number; readonly files: number },
): void {
	builder.add({ ...line, turnId: "", kind: "rolledBack" });
}

function versionOf({ value: { pins, plan, undoable } }: Builder, entries: readonly Entry[]): Version {
	return { entries, pins, plan, undoable };
}
