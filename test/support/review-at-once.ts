import { finish } from "../../agent-host/patch/pieces.ts";
import { followInPieces } from "../../agent-host/review/follow-lines.ts";
import { findInPieces } from "../../agent-host/review/hunks.ts";
import { readLinesInPieces } from "../../agent-host/review/lines.ts";

/** The work of a review without its pauses. */
export function followFile(...given: Parameters<typeof followInPieces>) {
	return finish(followInPieces(...given));
}

export function findHunks(...given: Parameters<typeof findInPieces>) {
	return finish(findInPieces(...given));
}

export function readLines(...given: Parameters<typeof readLinesInPieces>) {
	return finish(readLinesInPieces(...given));
}
