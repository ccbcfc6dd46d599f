import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "./is-missing.ts";

/** Names that are looked at in one folder. */
const MAX_NAMES = 10_000;

/** The folders directly below one, sorted, that contain a file of this name. None if there is no such folder. */
export async function listFolders(folder: string, file: string): Promise<readonly string[]> {
	const entries = await listEntries(folder);
	const folders = entries.filter((entry) => entry.isDirectory());
	const found = await Promise.all(
		folders.map(async ({ name }) => ((await lstat(join(folder, name, file)).catch(() => undefined)) ? [name] : [])),
	);
	return found.flat().sort();
}

/** The files directly in a folder whose names end like this, sorted. None if there is no such folder. */
export async function listFilesEnding(folder: string, ending: string): Promise<readonly string[]> {
	const entries = await listEntries(folder);
	return entries
		.filter((entry) => entry.isFile() && entry.name.endsWith(ending))
		.map(({ name }) => name)
		.sort();
}

async function listEntries(folder: string): Promise<readonly Dirent[]> {
	if (isMissing(folder)) return [];
	const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
	return entries.slice(0, MAX_NAMES);
}
