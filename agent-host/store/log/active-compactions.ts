import type { TurnId } from "../../protocol/ids.ts";
import type { Disk } from "../home/disk.ts";
import { createAdmission, type Proof } from "../records/admit-records.ts";
import { inlineParts } from "../records/externalize.ts";
import { parseRecord, type ThreadRecord } from "../records/record.ts";
import { applyRecord } from "../records/replay.ts";
import { undoCompaction } from "../records/rewrite-history.ts";
import { type Peek, readJson } from "../records/scan-records.ts";
import type { Compacted, CompactionDone, Conversation, ThreadState } from "../records/thread-state.ts";
import { findConversation } from "../records/undo-restore.ts";
import type { Blobs } from "./blobs.ts";
import { readSegments } from "./segments.ts";

/** A compaction that was not undone: what it replaced, the turn it was made in, and the text of its card. */
export interface ActiveCompaction {
	readonly before: Compacted;
	readonly turnId: TurnId | undefined;
	readonly done: CompactionDone | undefined;
}

type Histories = Pick<ThreadState, "history" | "turnStarts" | "droppedTurns">;

/**
 * The compactions that were not undone, oldest first. Read from the log, because the state in memory only holds the
 * last one.
 */
export async function readActiveCompactions(
	disk: Disk,
	path: string,
	blobs: Blobs,
	proof: Proof,
): Promise<readonly ActiveCompaction[]> {
	const { admit } = createAdmission(proof);
	let state: ThreadState | undefined;
	let active: readonly ActiveCompaction[] = [];
	/** Those of each conversation that can be brought back. */
	const kept = new Map<Conversation, readonly ActiveCompaction[]>();
	const take = (record: ThreadRecord, json: string): void => {
		try {
			const admitted = admit(record, json);
			if (admitted === undefined) return;
			const next = applyRecord(state, admitted);
			const returned = isUndo(admitted) ? findConversation(state?.undos ?? []) : undefined;
			for (const { before } of next.undos) if (before !== undefined && !kept.has(before)) kept.set(before, active);
			active =
				returned === undefined
					? applyToActive(active, admitted, { turnId: state?.openTurn?.turnId, next })
					: (kept.get(returned) ?? []);
			state = next;
		} catch {
			// Not written by a host; opening the thread has reported it.
		}
	};
	await readSegments(disk, path, (line) => {
		if (typeof line.content === "string" || !matters(line.content)) return undefined;
		const json = readJson(line);
		const parsed = parseRecord(json);
		if (parsed.state !== "good") return undefined;
		if (parsed.record.refs !== undefined) {
			return inlineParts(parsed.record, blobs.get, "all").then((record) => take(record, json));
		}
		take(parsed.record, json);
		return undefined;
	});
	return active;
}

/**
 * The history without some of its last turns: the turns before them are unchanged, also if compactions came in between.
 */
export function withoutTurns(
	now: Histories,
	all: readonly ActiveCompaction[],
	turnIds: readonly TurnId[],
): (Histories & { readonly undone: readonly ActiveCompaction[] }) | undefined {
	const gone = new Set(turnIds);
	const findStart = ({ turnStarts }: Histories) => turnStarts.findIndex(({ turnId }) => turnId === turnIds[0]);
	const isMadeThen = ({ turnId }: ActiveCompaction) => turnId !== undefined && gone.has(turnId);
	let state = now;
	let active = all;
	for (let last = active.at(-1); last !== undefined; last = active.at(-1)) {
		if (findStart(state) >= 0 && !active.some(isMadeThen)) break;
		state = undoCompaction(state, last.before);
		active = active.slice(0, -1);
	}
	const index = findStart(state);
	const start = state.turnStarts[index];
	if (start === undefined) return undefined;
	return {
		history: state.history.slice(0, start.at),
		turnStarts: state.turnStarts.slice(0, index),
		droppedTurns: state.droppedTurns,
		undone: all.slice(active.length).reverse(),
	};
}

const HISTORY_RECORDS: ReadonlySet<string> = new Set(["thread", "items", "rewrite", "mute"]);
const TURN_EVENTS: ReadonlySet<string> = new Set([
	...["turnStarted", "rolledBack", "rollbackUndone", "compactionCompleted"],
]);

function isUndo({ body }: ThreadRecord): boolean {
	return body.kind === "event" && body.event.type === "rollbackUndone";
}

function matters({ kind, type }: Peek): boolean {
	return HISTORY_RECORDS.has(kind) || TURN_EVENTS.has(type ?? "");
}

function applyToActive(
	active: readonly ActiveCompaction[],
	{ body }: ThreadRecord,
	{ turnId, next }: { readonly turnId: TurnId | undefined; readonly next: ThreadState },
): readonly ActiveCompaction[] {
	if (body.kind === "rewrite") {
		if (body.reason === "undo") return active.slice(0, -1);
		if (body.reason === "rollback") return active.slice(0, active.length - (body.undone ?? 0));
		const before = next.beforeCompaction;
		return before === undefined ? active : [...active, { before, turnId, done: undefined }];
	}
	if (body.kind !== "event") return active;
	if (body.event.type === "rolledBack")
		return withoutRolledBack(active, new Set(body.event.turnIds), next.history.length);
	const last = active.at(-1);
	if (body.event.type !== "compactionCompleted" || last === undefined) return active;
	return [...active.slice(0, -1), { ...last, done: body.event }];
}

/**
 * What compactions replaced, without turns that were rolled back since: undoing the compaction must not bring them
 * back.
 */
function withoutRolledBack(
	active: readonly ActiveCompaction[],
	gone: ReadonlySet<string>,
	length: number,
): readonly ActiveCompaction[] {
	let after = length;
	return active
		.toReversed()
		.map((one) => {
			const before = cutBefore(one.before, gone, after);
			after = before.history.length;
			return { ...one, before };
		})
		.reverse();
}

function cutBefore(before: Compacted, gone: ReadonlySet<string>, after: number): Compacted {
	const { history, turnStarts } = before;
	const first = turnStarts.find(({ turnId }) => gone.has(turnId));
	return {
		...before,
		history: first === undefined ? history : history.slice(0, first.at),
		turnStarts: turnStarts.filter(({ turnId }) => !gone.has(turnId)),
		replacement: Math.min(before.replacement, after),
	};
}
