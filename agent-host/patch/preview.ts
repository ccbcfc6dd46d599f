import { type PatchEvent, type Place, readLine, START } from "./read-line.ts";

/** A patch that is still being written, as far as its whole lines tell. */
export interface PatchPreview {
	/** Takes the next piece of text; gives what the lines that it completed say. */
	readonly push: (text: string) => readonly PatchEvent[];
	/** What is wrong with the patch; nothing is shown after it. */
	readonly problem: () => string | undefined;
}

/** Characters of one line that a preview waits for. */
const MAX_LINE_CHARS = 1_000_000;

/** Reads a patch line by line while it streams in. What is applied later is parsed anew, whole. */
export function createPatchPreview(): PatchPreview {
	let rest = "";
	let state: "before" | "inside" | "after" = "before";
	let place: Place = START;
	let problem: string | undefined;
	const take = (line: string): readonly PatchEvent[] => {
		if (state === "before") {
			if (line.trim() === "*** Begin Patch") state = "inside";
			return [];
		}
		// A padded end mark may be a context line; whether it is the last line only the whole patch can tell.
		if (line.trimEnd() === "*** End Patch") state = "after";
		if (state === "after" || problem !== undefined) return [];
		const read = readLine(place, line);
		if ("problem" in read) {
			problem = read.problem;
			return [];
		}
		place = read.place;
		return read.event === undefined ? [] : [read.event];
	};
	return {
		push: (text) => {
			const lines = (rest + text).split("\n");
			rest = lines.pop() ?? "";
			if (rest.length > MAX_LINE_CHARS) problem ??= "a line of the patch is too long to be shown.";
			if (problem !== undefined) rest = "";
			return lines.flatMap((line) => take(line.endsWith("\r") ? line.slice(0, -1) : line));
		},
		problem: () => problem,
	};
}
