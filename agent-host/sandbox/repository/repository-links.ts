import { readdir, unlink } from "node:fs/promises";
import { join } from "node:path";

/** Limit for the visited entries. */
const MAX_ENTRIES = 100_000;

/** Links among branches and logs, and object folders that are links: Git would write through them. */
export async function linksIn(directory: string): Promise<ReadonlySet<string>> {
	const found = new Set<string>();
	let count = 0;
	const foldersIn = async (folder: string): Promise<readonly string[]> => {
		const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
		count += entries.length;
		for (const entry of entries) if (entry.isSymbolicLink()) found.add(join(folder, entry.name));
		return entries.filter((entry) => entry.isDirectory()).map((entry) => join(folder, entry.name));
	};
	// Deeper files are never written again once they exist.
	await foldersIn(join(directory, "objects"));
	const waiting = ["refs", "logs"].map((name) => join(directory, name));
	for (let folder = waiting.pop(); folder !== undefined && count < MAX_ENTRIES; folder = waiting.pop())
		waiting.push(...(await foldersIn(folder)));
	return found;
}

/** Removes the links that were not there before, with a sentence for each. */
export async function removeNewLinks(directory: string, before: ReadonlySet<string>): Promise<readonly string[]> {
	const made = [...(await linksIn(directory))].filter((path) => !before.has(path));
	for (const path of made) await unlink(path);
	return made.map((path) => `${path} was replaced with a link, which Git does not do. The link was removed.`);
}
