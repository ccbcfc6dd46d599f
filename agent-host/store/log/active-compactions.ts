import type { TurnId } from "../../protocol/ids.ts";
import type { Disk } from "../home/disk.ts";
import { createAdmission, type Proof } from "../records/admit-records.ts";
import { inlineParts } from "../records/externalize.ts";
import { parseRecord, type ThreadRecord } from "../records/record.ts";
import { applyRecord } from "../records/replay.ts";
import { undoCompaction } from "../records/rewrite-history.ts";
import { jsonOf, type Peek } from "../records/scan-records.ts";
import type { Compacted, CompactionDone, ThreadState } from "../records/thread-state.ts";
import type { Blobs } from "./blobs.ts";
import { readSegments } from "./segments.ts";

/** A compaction that has not been undone: what it replaced, in which turn it was made, and what its card says. */
export interface Standing {
	readonly before: Compacted;
	readonly turnId: TurnId | undefined;
	readonly done: CompactionDone | undefined;
}

type Histories = Pick<ThreadState, "history" | "turnStarts" | "droppedTurns">;

/** The compactions that stand, oldest first. Read from the log, since a state in memory holds no more than the last of them. */
export async function readStanding(disk: Disk, path: string, blobs: Blobs, proof: Proof): Promise<readonly Standing[]> {
	const { admit } = createAdmission(proof);
	let state: ThreadState | undefined;
	let standing: readonly Standing[] = [];
	const take = (record: ThreadRecord, json: string): void => {
		try {
			const admitted = admit(record, json);
			if (admitted === undefined) return;
			const next = applyRecord(state, admitted);
			standing = follow(standing, admitted, { turnId: state?.openTurn?.turnId, next });
			state = next;
		} catch {
			// Not written by a host; opening the thread has said so.
		}
	};
	await readSegments(disk, path, (line) => {
		if (typeof line.content === "string" || !matters(line.content)) return undefined;
		const json = jsonOf(line);
		const parsed = parseRecord(json);
		if (parsed.state !== "good") return undefined;
		if (parsed.record.refs !== undefined) {
			return inlineParts(parsed.record, blobs.get, "all").then((record) => take(record, json));
		}
		take(parsed.record, json);
		return undefined;
	});
	return standing;
}

/** The history without some of its last turns: those before them as they were, also where compactions came in between. */
export function withoutTurns(
	now: Histories,
	all: readonly Standing[],
	turnIds: readonly TurnId[],
): (Histories & { readonly undone: readonly Standing[] }) | undefined {
	const gone = new Set(turnIds);
	const startOf = ({ turnStarts }: Histories) => turnStarts.findIndex(({ turnId }) => turnId === turnIds[0]);
	const isMadeThen = ({ turnId }: Standing) => turnId !== undefined && gone.has(turnId);
	let state = now;
	let standing = all;
	for (let last = standing.at(-1); last !== undefined; last = standing.at(-1)) {
		if (startOf(state) >= 0 && !standing.some(isMadeThen)) break;
		state = undoCompaction(state, last.before);
		standing = standing.slice(0, -1);
	}
	const index = startOf(state);
	const start = state.turnStarts[index];
	if (start === undefined) return undefined;
	return {
		history: state.history.slice(0, start.at),
		turnStarts: state.turnStarts.slice(0, index),
		droppedTurns: state.droppedTurns,
		undone: all.slice(standing.length).reverse(),
	};
}

const TURN_EVENTS: ReadonlySet<string> = new Set(["turnStarted", "rolledBack", "compactionCompleted"]);

function matters({ kind, type }: Peek): boolean {
	return kind === "thread" || kind === "items" || kind === "rewrite" || TURN_EVENTS.has(type ?? "");
}

function follow(
	standing: readonly Standing[],
	{ body }: ThreadRecord,
	{ turnId, next }: { readonly turnId: TurnId | undefined; readonly next: ThreadState },
): readonly Standing[] {
	if (body.kind === "rewrite") {
		if (body.reason === "undo") return standing.slice(0, -1);
		if (body.reason === "rollback") return standing.slice(0, standing.length - (body.undone ?? 0));
		const before = next.beforeCompaction;
		return before === undefined ? standing : [...standing, { before, turnId, done: undefined }];
	}
	if (body.kind !== "event") return standing;
	if (body.event.type === "rolledBack") return takeBack(standing, new Set(body.event.turnIds), next.history.length);
	const last = standing.at(-1);
	if (body.event.type !== "compactionCompleted" || last === undefined) return standing;
	return [...standing.slice(0, -1), { ...last, done: body.event }];
}

/** What compactions replaced, without turns that were taken back since: undone, they must not bring them along. */
function takeBack(standing: readonly Standing[], gone: ReadonlySet<string>, length: number): readonly Standing[] {
	let after = length;
	return standing
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
