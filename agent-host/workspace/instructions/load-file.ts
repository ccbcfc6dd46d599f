import type { InstructionFile } from "../../envelope/envelope.ts";
import { digestValue } from "../../permissions/policy/policy.ts";
import { isReadableAt, type Readable } from "../files/readable.ts";
import { findRealPath } from "../files/real-path.ts";
import { lookAtName, readSmallFile } from "../files/small-file.ts";

/** Limit for one file. */
const MAX_FILE_BYTES = 32_768;
/** Characters that no editor shows and that only a model reads. */
const HIDDEN_WORDS = /[\u{E0000}-\u{E007F}]/u;

export interface LoadedFile {
	readonly file?: InstructionFile;
	/** One sentence, if it could not be used as it is. */
	readonly problem?: string;
}

/** For the user, who may see their own files; not for the model. */
function closed(path: string): string {
	return `${path} can't be read with these permissions, so its instructions are not used.`;
}

/** One file of instructions. Undefined if there is no such file. */
export async function loadFile(
	path: string,
	origin: InstructionFile["origin"],
	readable: Readable,
): Promise<LoadedFile | undefined> {
	// The user's own file may be a link to wherever they keep it; one of the workspace may lead to any file.
	const name = await lookAtName(path);
	if (name === "none") return undefined;
	if (origin === "workspace" && name === "link")
		return { problem: `${path} is a link, so its instructions are not used. Replace it with a file to use them.` };
	if (!isReadableAt(findRealPath(path), readable)) return { problem: closed(path) };
	const read = await readSmallFile(path, MAX_FILE_BYTES, readable);
	if (read.state === "missing") return undefined;
	if (read.state === "refused") return { problem: `${read.reason} Its instructions are not used.` };
	if (read.text.trim() === "") return {};
	if (HIDDEN_WORDS.test(read.text)) {
		return {
			problem: `${path} contains hidden tag characters, so its instructions are not used. Remove the characters to use them.`,
		};
	}
	const isCut = read.bytes > MAX_FILE_BYTES;
	const cut = `only the first ${MAX_FILE_BYTES} of ${read.bytes} bytes are used`;
	return {
		file: { path, origin, stamp: digestValue(read.text), text: read.text, ...(isCut ? { cut } : {}) },
		...(isCut ? { problem: `${path} is too long: ${cut}.` } : {}),
	};
}
