import type { Pieces } from "../patch/pieces.ts";
import { diffInPieces, type Splice } from "./diff-lines.ts";
import { fixInPieces, type LineEnds, type Lines, listKeys, withoutMarker } from "./lines.ts";

/** A file under review: without the agent's pending changes, and as it was last seen. */
export interface Followed {
	readonly base: Lines;
	readonly seen: Lines;
}

/** Lines of a text; 0-based, end excluded. */
export type Place = Pick<Splice, "at" | "until">;

/** A place where the user edited the agent's change. */
export interface Overlap extends Place {
	/** What would be there without the agent. */
	readonly base: Lines;
	readonly agent: Lines;
	readonly now: Lines;
}

/** One change of the file by the agent: the content before and after. */
export interface Step {
	readonly before: Lines;
	readonly after: Lines;
}

/** The new base of a file, and the places where the user edited the agent's changes. */
interface Moved {
	readonly base: Lines;
	readonly overlaps: readonly Overlap[];
}

/** Where lines of one text are in another. */
export function* followPlaces(
	places: readonly Place[],
	from: Lines,
	to: Lines,
	ends: LineEnds,
): Pieces<readonly Place[]> {
	if (places.length === 0 || from.length === 0 || to.length === 0) return [];
	const edits = yield* diffInPieces(yield* listKeys(from, ends), yield* listKeys(to, ends));
	return places.map((place) => {
		const cut = (line: number) => edits.find((edit) => edit.from < line && line < edit.to);
		const start = cut(place.at)?.at ?? toNow(edits, place.at, "start");
		const end = cut(place.until)?.until ?? toNow(edits, place.until, "end");
		return { at: Math.min(start, end), until: Math.max(start, end) };
	});
}

/**
 * Follows a file through the agent's steps, and other changes between them, to its current content. Changes by others
 * go into the base, except inside a change of the agent: that stays pending and is reported as an overlap. If the agent
 * has deleted the file and somebody else has made it again, only what differs from the deleted file is their change.
 */
export function* followInPieces(
	start: Followed,
	steps: readonly Step[],
	now: Lines,
	ends: LineEnds,
	/** Where the user had edited the agent's changes at the start. */
	before: readonly Place[] = [],
): Pieces<Moved & { readonly edited: readonly Place[] }> {
	let edited = before;
	const overlaps: Overlap[] = [];
	let { base, seen } = start;
	/** As it was when there last was a file. */
	let existing = seen.length > 0 ? start : { base, seen: base };
	const moveTo = function* (found: Lines): Pieces<Moved> {
		const isMadeAgain = base.length > 0 && seen.length === 0 && found.length > 0;
		if (!isMadeAgain) return yield* moveBase({ base, seen }, found, ends);
		const moved = yield* moveBase(existing, found, ends);
		const again = { base: withoutMarker(base), agent: [], now: withoutMarker(found), at: 0, until: 0 };
		return { ...moved, overlaps: [again, ...moved.overlaps] };
	};
	const moveOn = function* (found: Lines): Pieces<void> {
		const moved = yield* moveTo(found);
		const places = yield* followPlaces(edited, seen, found, ends);
		edited = [...places, ...moved.overlaps.filter((overlap) => !isUndone(overlap))];
		overlaps.push(...moved.overlaps);
		[base, seen] = [moved.base, found];
		if (found.length > 0) existing = { base, seen };
	};
	for (const step of steps) {
		yield* moveOn(step.before);
		edited = yield* followPlaces(edited, step.before, step.after, ends);
		seen = step.after;
		if (seen.length > 0) existing = { base, seen };
	}
	yield* moveOn(now);
	return { base, overlaps, edited };
}

/** Whether the user took the agent's change back. */
export function isUndone({ base, now }: Pick<Overlap, "base" | "now">): boolean {
	return now.join("") === base.join("");
}

function* moveBase({ base, seen }: Followed, now: Lines, ends: LineEnds): Pieces<Moved> {
	const seenKeys = yield* listKeys(seen, ends);
	const edits = yield* diffInPieces(seenKeys, yield* listKeys(now, ends));
	if (edits.length === 0) return { base, overlaps: [] };
	const hunks = yield* diffInPieces(yield* listKeys(base, ends), seenKeys);
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
	const overlaps = mergeOverlapping(hunks, edits).map(({ start, end }): Overlap => {
		const [at, until] = [toNow(edits, start, "start"), toNow(edits, end, "end")];
		return {
			base: base.slice(toBase(hunks, start, "start"), toBase(hunks, end)),
			agent: seen.slice(start, end),
			now: now.slice(at, until),
			at,
			until,
		};
	});
	return { base: yield* fixInPieces(moved), overlaps };
}

/** Whether an edit changes lines of a hunk or inserts between them. Adjacent edits do not count. */
function meet(hunk: Splice, edit: Splice): boolean {
	if (hunk.at === hunk.until) return edit.from < hunk.at && hunk.at < edit.to;
	if (edit.from === edit.to) return hunk.at < edit.from && edit.from < hunk.until;
	return edit.from < hunk.until && hunk.at < edit.to;
}

/**
 * Maps a place in the seen text to the base. At a deletion it is after the deleted lines, or before them for a start.
 */
function toBase(hunks: readonly Splice[], place: number, as: "start" | "end" = "end"): number {
	const before = hunks.filter(({ at, until }) => until <= place && !(as === "start" && at === place));
	return before.reduce((sum, { from, to, at, until }) => sum + (to - from) - (until - at), place);
}

/** Maps a place in the seen text to the current text. Insertions at the edges of a range are not part of it. */
function toNow(edits: readonly Splice[], place: number, as: "start" | "end"): number {
	const before = edits.filter(({ from, to }) => to <= place && !(as === "end" && from === place));
	return before.reduce((sum, { from, to, at, until }) => sum + (until - at) - (to - from), place);
}

/** The ranges of the seen text that hunks and overlapping edits cover together. */
function mergeOverlapping(
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
