import type { Pieces } from "../patch/pieces.ts";
import { diffInPieces, type Splice } from "./diff-lines.ts";
import { type Ends, keysOf, type Lines, mendInPieces } from "./lines.ts";

/** A file under review: as it would be without the agent's changes that nobody has judged, and as it was last seen. */
export interface Followed {
	readonly base: Lines;
	readonly seen: Lines;
}

/** A place where the user changed what the agent had written. */
export interface Overlap {
	/** What would stand there without the agent. */
	readonly base: Lines;
	readonly agent: Lines;
	readonly now: Lines;
	/** Where it is now; counted from 0, the end not included. */
	readonly at: number;
	readonly until: number;
}

/** One change of the file by the agent: from what it found to what it left. */
export interface Step {
	readonly before: Lines;
	readonly after: Lines;
}

/** What a file's base has become, and where the user was in changes of the agent. */
interface Moved {
	readonly base: Lines;
	readonly overlaps: readonly Overlap[];
}

/**
 * Follows a file through the agent's steps, and what others did between them, to what it is now. What others changed is theirs and
 * goes into the base, but for what lies in a change of the agent's: that stays open, and is among the overlaps.
 */
export function* followInPieces(start: Followed, steps: readonly Step[], now: Lines, ends: Ends): Pieces<Moved> {
	const overlaps: Overlap[] = [];
	let { base, seen } = start;
	for (const { before, after } of steps) {
		const moved = yield* moveBase({ base, seen }, before, ends);
		overlaps.push(...moved.overlaps.map((overlap) => ({ ...overlap, at: 0, until: 0 })));
		[base, seen] = [moved.base, after];
	}
	const last = yield* moveBase({ base, seen }, now, ends);
	return { base: last.base, overlaps: [...overlaps, ...last.overlaps] };
}

function* moveBase({ base, seen }: Followed, now: Lines, ends: Ends): Pieces<Moved> {
	const seenKeys = yield* keysOf(seen, ends);
	const edits = yield* diffInPieces(seenKeys, yield* keysOf(now, ends));
	if (edits.length === 0) return { base, overlaps: [] };
	const hunks = yield* diffInPieces(yield* keysOf(base, ends), seenKeys);
	const isFree = (edit: Splice) => !hunks.some((hunk) => meet(hunk, edit));
	const parts: Lines[] = [];
	let from = 0;
	for (const edit of edits.filter(isFree)) {
		const [start, end] = [toBase(hunks, edit.from), toBase(hunks, edit.to)];
		parts.push(base.slice(from, start), now.slice(edit.at, edit.until));
		from = end;
	}
	yield;
	const moved = [...parts, base.slice(from)].flat();
	yield;
	const overlaps = joinMeeting(hunks, edits).map(({ start, end }): Overlap => {
		const [at, until] = [toNow(edits, start, "start"), toNow(edits, end, "end")];
		return {
			base: base.slice(toBase(hunks, start, "start"), toBase(hunks, end)),
			agent: seen.slice(start, end),
			now: now.slice(at, until),
			at,
			until,
		};
	});
	return { base: yield* mendInPieces(moved), overlaps };
}

/** Whether an edit changes lines of a hunk, or lies between two of them. What only stands beside it does not. */
function meet(hunk: Splice, edit: Splice): boolean {
	if (hunk.at === hunk.until) return edit.from < hunk.at && hunk.at < edit.to;
	if (edit.from === edit.to) return hunk.at < edit.from && edit.from < hunk.until;
	return edit.from < hunk.until && hunk.at < edit.to;
}

/** A place of the seen text, in the base. At a deletion it is behind the deleted lines, or before them for a start. */
function toBase(hunks: readonly Splice[], place: number, as: "start" | "end" = "end"): number {
	const before = hunks.filter(({ at, until }) => until <= place && !(as === "start" && at === place));
	return before.reduce((sum, { from, to, at, until }) => sum + (to - from) - (until - at), place);
}

/** A place of the seen text, now. What was put in at the edges of a stretch is not part of it. */
function toNow(edits: readonly Splice[], place: number, as: "start" | "end"): number {
	const before = edits.filter(({ from, to }) => to <= place && !(as === "end" && from === place));
	return before.reduce((sum, { from, to, at, until }) => sum + (until - at) - (to - from), place);
}

/** The stretches of the seen text that hunks and the edits they meet make together. */
function joinMeeting(
	hunks: readonly Splice[],
	edits: readonly Splice[],
): readonly { readonly start: number; readonly end: number }[] {
	const met = hunks.flatMap((hunk) =>
		edits
			.filter((edit) => meet(hunk, edit))
			.map((edit) => ({ start: Math.min(hunk.at, edit.from), end: Math.max(hunk.until, edit.to) })),
	);
	const joined: { start: number; end: number }[] = [];
	for (const one of met.toSorted((a, b) => a.start - b.start)) {
		const last = joined.at(-1);
		if (last !== undefined && one.start < last.end) last.end = Math.max(last.end, one.end);
		else joined.push(one);
	}
	return joined;
}
