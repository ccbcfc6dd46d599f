import type { ThreadEvent } from "../../../agent-host/protocol/thread/events.ts";
import type { ChangesEntry, ContextEntry, Entry, TurnFacts } from "./entry.ts";
import type { Transcript } from "./transcript.ts";
import type { TranscriptBuilder } from "./transcript-builder.ts";

type Completed = Extract<ThreadEvent, { readonly type: "turnCompleted" }>;

/** A shorter turn did nothing worth timing. */
const MIN_SHOWN_MS = 50;

/** Ends a turn with one entry that holds what is known about it as a whole; without any facts, with none. */
export function addTurnEnd(
	builder: TranscriptBuilder<Transcript>,
	{ turnId, status, error, spent }: Completed,
	{ key, at }: { readonly key: string; readonly at: number },
): void {
	const { running, startedAt } = builder.value;
	const start = startedAt.get(turnId);
	const facts: TurnFacts = {
		ms: start === undefined ? undefined : at - start,
		spent: spent?.turn,
		retries: running?.turnId === turnId ? running.retries : 0,
		context: builder.take(turnId, isContext),
		changes: builder.take(turnId, isChanges).at(-1),
	};
	if (status === "completed") {
		if (hasFacts(facts)) builder.add({ key, turnId, kind: "turnSummary", facts });
		return;
	}
	const [last] = builder.entriesOf(turnId);
	if (last?.kind === "agentMessage" && last.state === "cut") builder.replace(last, { ...last, state: "ended" });
	builder.add({ key, turnId, kind: "turnEnd", status, error, facts });
}

function hasFacts({ ms = 0, spent, retries, context, changes }: TurnFacts): boolean {
	const isTimed = ms >= MIN_SHOWN_MS || (spent?.tokens ?? 0) > 0;
	return isTimed || retries > 0 || context.length > 0 || changes !== undefined;
}

function isContext(entry: Entry): entry is ContextEntry {
	return entry.kind === "context";
}

function isChanges(entry: Entry): entry is ChangesEntry {
	return entry.kind === "changes";
}
