import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { FileContents } from "./apply-patch.ts";

const FOLDER = join(import.meta.dirname, "../fixtures/apply-patch");

export interface PatchScenario {
	readonly name: string;
	readonly patch: string;
	readonly input: FileContents;
	readonly expected: FileContents;
}

/** The scenarios of the patch format, as data. Where the original stops halfway, ours changes nothing. */
export function patchScenarios(): readonly PatchScenario[] {
	const names = readdirSync(FOLDER).filter((name) => statSync(join(FOLDER, name)).isDirectory());
	return names.sort().map((name) => {
		const input = readTree(join(FOLDER, name, "input"));
		const isCutShort = name.startsWith("015_");
		const expected = isCutShort ? input : readTree(join(FOLDER, name, "expected"));
		return { name, patch: readFileSync(join(FOLDER, name, "patch.txt"), "utf8"), input, expected };
	});
}

/** Every file below a folder, by its path with `/`. */
export function readTree(folder: string): FileContents {
	if (statSync(folder, { throwIfNoEntry: false }) === undefined) return new Map();
	const files = readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name));
	return new Map(files.sort().map((path) => [path.slice(folder.length + 1), new Uint8Array(readFileSync(path))]));
}

export function writeTree(folder: string, files: FileContents): void {
	mkdirSync(folder, { recursive: true });
	for (const [path, bytes] of files) {
		mkdirSync(dirname(join(folder, path)), { recursive: true });
		writeFileSync(join(folder, path), bytes);
	}
}

/** A tree as text, so that a difference can be read. Bytes that are no text show as what they are. */
export function showTree(files: FileContents): Readonly<Record<string, string>> {
	const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
	return Object.fromEntries(sorted.map(([path, bytes]) => [path, Buffer.from(bytes).toString("latin1")]));
}
