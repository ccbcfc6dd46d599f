import { createHash } from "node:crypto";
import type { Pieces } from "../patch/pieces.ts";
import { diffInPieces, type Splice } from "./diff-lines.ts";
import type { Place } from "./follow-lines.ts";
import { fixLineEnds, type LineEnds, type Lines, lineNumber, listKeys, withoutMarker } from "./lines.ts";

/** A pending change of the agent. */
export interface Hunk extends Splice {
	/** Identifies the file and exactly these lines; another edit gives another id. */
	readonly id: string;
	/** `changed`: the user has edited it since. */
	readonly state: "pending" | "changed";
	/** 1-based number of its first line in the current file, or of the next line if the hunk is empty there. */
	readonly line: number;
	readonly removed: Lines;
	readonly added: Lines;
}

interface About {
	readonly ends: LineEnds;
	/** Where the user has edited the agent's changes. */
	readonly edited?: readonly Place[];
}

/** The differences between the base and the current file. */
export function* findInPieces(
	path: string,
	base: Lines,
	now: Lines,
	{ ends, edited = [] }: About,
): Pieces<readonly Hunk[]> {
	const seen = new Map<string, number>();
	const splices = yield* diffInPieces(yield* listKeys(base, ends), yield* listKeys(now, ends));
	return splices.map((splice) => {
		const { from, to, at, until } = splice;
		const [removed, added] = [withoutMarker(base.slice(from, to)), withoutMarker(now.slice(at, until))];
		const name = JSON.stringify([path, removed, added]);
		const times = seen.get(name) ?? 0;
		seen.set(name, times + 1);
		const isChanged = edited.some((place) => place.at <= until && at <= place.until && place.until > 0);
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

/** The base with these hunks, which are then no longer pending. */
export function keepHunks(base: Lines, now: Lines, hunks: readonly Splice[]): Lines {
	const parts = hunks.map(({ from, to, at, until }) => ({ start: from, end: to, lines: now.slice(at, until) }));
	return replace(base, parts);
}

/** The hunk as a readable diff. */
export function describeHunk({ removed, added }: Pick<Hunk, "removed" | "added">): string {
	const lines = [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)];
	const text = lines.map((line) => line.replace(/[\r\n]+$/, "")).join("\n");
	return text.length <= MAX_DIFF_CHARS ? text : `${text.slice(0, MAX_DIFF_CHARS)}\n[cut]`;
}

const ID_CHARS = 24;
/** Limit for one hunk in the message to the model. */
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
	return fixLineEnds([...pieces, lines.slice(from)].flat());
}
