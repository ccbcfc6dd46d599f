import { dirname, join } from "node:path";
import type { InstructionFile } from "../envelope/envelope.ts";
import { digestValue } from "../permissions/policy/policy.ts";
import { isInside } from "../permissions/reach/reach.ts";
import { isReadableAt, type Readable } from "./files/readable.ts";
import { findRealPath } from "./files/real-path.ts";
import { lookAtName, readSmallFile } from "./files/small-file.ts";

/** In each folder the first existing one is used. */
const FILE_NAMES = ["AGENTS.override.md", "AGENTS.md"] as const;
/** Limit for one file. */
const MAX_FILE_BYTES = 32_768;
/** Limit for folders from the workspace folder down to the working folder. */
const MAX_DEPTH = 32;
/** Characters that no editor shows and that only a model reads. */
const HIDDEN_WORDS = /[\u{E0000}-\u{E007F}]/u;

export interface LoadedInstructions {
	readonly files: readonly InstructionFile[];
	/** One sentence for each file that could not be used as it is. */
	readonly problems: readonly string[];
}

/**
 * The user's instructions: their own file, then the AGENTS.md chain from the workspace folder down to the working
 * folder. Nothing is read from an untrusted workspace.
 */
export async function loadInstructions(where: {
	readonly home: string;
	readonly cwd: string | undefined;
	readonly roots: readonly string[];
	readonly trusted: boolean;
	/** What the turn may read. */
	readonly readable: Readable;
}): Promise<LoadedInstructions> {
	const { cwd, roots, readable } = where;
	const own = { folder: where.home, origin: "user" as const };
	const chain = where.trusted && cwd !== undefined ? listChain(cwd, roots) : [];
	const found = await Promise.all(
		[own, ...chain].map(({ folder, origin }) => loadFirst(folder, origin, origin === "user" ? () => true : readable)),
	);
	return {
		files: found.flatMap(({ file }) => file ?? []),
		problems: found.flatMap(({ problem }) => problem ?? []),
	};
}

/** Files that would be instructions if the workspace were trusted. They are not read. */
export async function findUnfollowed(cwd: string, roots: readonly string[]): Promise<readonly string[]> {
	const found = await Promise.all(
		listChain(cwd, roots).map(async ({ folder }) => {
			const paths = FILE_NAMES.map((name) => join(folder, name));
			const kinds = await Promise.all(paths.map(lookAtName));
			return paths.filter((_, index) => kinds[index] !== "none").slice(0, 1);
		}),
	);
	return found.flat();
}

function listChain(cwd: string, roots: readonly string[]) {
	const root = roots.find((folder) => isInside(cwd, folder));
	if (root === undefined) return [];
	const folders: string[] = [];
	for (let folder = cwd; folders.length < MAX_DEPTH; folder = dirname(folder)) {
		folders.unshift(folder);
		if (folder === root || folder === dirname(folder)) break;
	}
	return folders.map((folder) => ({ folder, origin: "workspace" as const }));
}

interface Loaded {
	readonly file?: InstructionFile;
	readonly problem?: string;
}

async function loadFirst(folder: string, origin: InstructionFile["origin"], readable: Readable): Promise<Loaded> {
	for (const name of FILE_NAMES) {
		const loaded = await load(join(folder, name), origin, readable);
		if (loaded !== undefined) return loaded;
	}
	return {};
}

/** For the user, who may see their own files; not for the model. */
function closed(path: string): string {
	return `${path} can't be read with these permissions, so its instructions are not used.`;
}

/** Undefined if there is no such file. */
async function load(path: string, origin: InstructionFile["origin"], readable: Readable): Promise<Loaded | undefined> {
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
