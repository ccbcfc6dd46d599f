import { createHash } from "node:crypto";
import type { Pieces } from "../patch/pieces.ts";
import { diffInPieces, type Splice } from "./diff-lines.ts";
import type { Overlap } from "./follow-lines.ts";
import { type Ends, keysOf, type Lines, lineNumber, mendEnds, shown } from "./lines.ts";

/** A change of the agent's that waits to be kept or rejected. */
export interface Hunk extends Splice {
	/** Stands for the file and for exactly these lines; another edit gives another name. */
	readonly id: string;
	/** `changed`: the user has been in it since. */
	readonly state: "pending" | "changed";
	/** Number of its first line in the file as it is now, from 1; of the line behind it when nothing is there. */
	readonly line: number;
	readonly removed: Lines;
	readonly added: Lines;
}

interface About {
	readonly ends: Ends;
	readonly overlaps?: readonly Overlap[];
}

/** What stands between the base and the file as it is now. */
export function* findInPieces(
	path: string,
	base: Lines,
	now: Lines,
	{ ends, overlaps = [] }: About,
): Pieces<readonly Hunk[]> {
	const seen = new Map<string, number>();
	const splices = yield* diffInPieces(yield* keysOf(base, ends), yield* keysOf(now, ends));
	return splices.map((splice) => {
		const { from, to, at, until } = splice;
		const [removed, added] = [shown(base.slice(from, to)), shown(now.slice(at, until))];
		const name = JSON.stringify([path, removed, added]);
		const times = seen.get(name) ?? 0;
		seen.set(name, times + 1);
		const isChanged = overlaps.some((overlap) => overlap.at <= until && at <= overlap.until && overlap.until > 0);
		return {
			...splice,
			id: createHash("sha256").update(`${times}${name}`).digest("hex").slice(0, ID_CHARS),
			state: isChanged ? "changed" : "pending",
			line: lineNumber(now, at),
			removed,
			added,
		};
	});
}

/** The file without these hunks. */
export function rejectHunks(base: Lines, now: Lines, hunks: readonly Splice[]): Lines {
	const parts = hunks.map(({ from, to, at, until }) => ({ start: at, end: until, lines: base.slice(from, to) }));
	return replace(now, parts);
}

/** The base with these hunks, which are then no longer open. */
export function keepHunks(base: Lines, now: Lines, hunks: readonly Splice[]): Lines {
	const parts = hunks.map(({ from, to, at, until }) => ({ start: from, end: to, lines: now.slice(at, until) }));
	return replace(base, parts);
}

/** As a person, or a model, reads it. */
export function describeHunk({ removed, added }: Pick<Hunk, "removed" | "added">): string {
	const lines = [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)];
	const text = lines.map((line) => line.replace(/[\r\n]+$/, "")).join("\n");
	return text.length <= MAX_DIFF_CHARS ? text : `${text.slice(0, MAX_DIFF_CHARS)}\n[cut]`;
}

const ID_CHARS = 24;
/** Of one hunk, as it is told to the model. */
const MAX_DIFF_CHARS = 2_000;

function replace(
	lines: Lines,
	parts: readonly { readonly start: number; readonly end: number; readonly lines: Lines }[],
): Lines {
	let from = 0;
	const pieces = parts.flatMap((part) => {
		const kept = lines.slice(from, part.start);
		from = part.end;
		return [kept, part.lines];
	});
	return mendEnds([...pieces, lines.slice(from)].flat());
}
