import { type Admitted, createAdmission, type Proof, type Rights } from "../records/admit-records.ts";
import { needsSeal } from "../records/conversation.ts";
import { inlineParts, lacksSubtree } from "../records/externalize.ts";
import { parseRecord, type ThreadRecord } from "../records/record.ts";
import { applyRecord } from "../records/replay.ts";
import type { ThreadState } from "../records/thread-state.ts";
import type { Blobs } from "./blobs.ts";

/** What lines come to. */
export interface Folded {
	/** Undefined if there was no header of a thread. */
	readonly state: ThreadState | undefined;
	/** Number of records that differ from what was written, or that need a value that is gone. */
	readonly damaged: number;
	/** Written by a newer release: the thread can be read but not continued. */
	readonly newer: boolean;
	readonly rights: Rights;
}

/** From where on more lines can be folded. */
export interface FoldState {
	readonly state: ThreadState;
	readonly admitted: Admitted;
}

/** Folds the JSON of a thread's lines into its state. */
export interface Fold {
	readonly note: (line: "damaged" | "odd") => void;
	/** Applies lines in order; waits only if a blob has to be read. "subtrees": texts in blobs are left there. */
	readonly apply: (lines: readonly string[], wanted: "all" | "subtrees") => Promise<void> | undefined;
	readonly endTurn: () => void;
	readonly result: (last: { readonly n: number; readonly at: number }) => Folded;
	/** Undefined if something did not count that might count another time. */
	readonly save: () => FoldState | undefined;
}

export function createFold(blobs: Blobs, proof: Proof, from?: FoldState): Fold {
	const admission = createAdmission(proof, from?.admitted);
	let state = from?.state;
	let damaged = 0;
	let newer = false;
	let isWhole = true;
	const applyOne = (record: ThreadRecord, json: string): void => {
		// A thread has one header; another one would start it again.
		if ((state === undefined) !== (record.body.kind === "thread")) return;
		try {
			const admitted = lacksSubtree(record) ? undefined : admission.admit(record, json);
			if (admitted === undefined) {
				isWhole = false;
				damaged += needsSeal(record.body) ? 0 : 1;
			} else state = applyRecord(state, admitted);
		} catch {
			// The checksum was right, so the file was edited on purpose; only this record is lost.
			damaged += 1;
		}
	};
	const apply = (lines: readonly string[], wanted: "all" | "subtrees", from = 0): Promise<void> | undefined => {
		for (let index = from; index < lines.length; index += 1) {
			const json = lines[index] ?? "";
			const parsed = parseRecord(json);
			if (parsed.state !== "good") newer = true;
			else if (parsed.record.refs === undefined) applyOne(parsed.record, json);
			else {
				return inlineParts(parsed.record, blobs.get, needed(parsed.record) ?? wanted).then((whole) => {
					applyOne(whole, json);
					return apply(lines, wanted, index + 1);
				});
			}
		}
		return undefined;
	};
	return {
		note: (line) => {
			if (line === "damaged") damaged += 1;
			else newer = true;
		},
		apply: (lines, wanted) => apply(lines, wanted),
		// The end of a turn is not applied line by line: only this follows from it.
		endTurn: () => {
			if (state !== undefined) state = { ...state, openTurn: undefined };
		},
		result: ({ n, at }) => ({
			state: state === undefined ? undefined : { ...state, records: n, updatedAt: at },
			damaged,
			newer,
			rights: admission.rights(),
		}),
		save: () => {
			const isSound = isWhole && damaged === 0 && !newer && state !== undefined && state.baseInstructions !== "";
			return isSound && state !== undefined ? { state, admitted: admission.save() } : undefined;
		},
	};
}

/** A header is read completely, and so is host text, because only then we can tell whether it is ours. */
function needed({ body }: ThreadRecord): "all" | undefined {
	const hasFragments = (body.kind === "items" || body.kind === "rewrite") && needsSeal(body);
	return body.kind === "thread" || hasFragments ? "all" : undefined;
}
