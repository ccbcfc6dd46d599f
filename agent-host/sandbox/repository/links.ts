import { readdir, unlink } from "node:fs/promises";
import { join } from "node:path";

/** Entries that are looked at. */
const MAX_ENTRIES = 100_000;

/** Links among branches and logs, and folders for objects that are links: Git would write through them. */
export async function linksIn(directory: string): Promise<ReadonlySet<string>> {
	const found = new Set<string>();
	const waiting = ["refs", "logs"].map((name) => join(directory, name));
	let count = 0;
	const look = async (folder: string): Promise<void> => {
		for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
			count += 1;
			const path = join(folder, entry.name);
			if (entry.isSymbolicLink()) found.add(path);
			else if (entry.isDirectory()) waiting.push(path);
		}
	};
	await look(join(directory, "objects"));
	// What lies deeper there is never written again once it exists.
	waiting.length = 2;
	for (let folder = waiting.pop(); folder !== undefined && count < MAX_ENTRIES; folder = waiting.pop())
		await look(folder);
	return found;
}

/** Removes those that were not there before, with a sentence for each. */
export async function removeNewLinks(directory: string, before: ReadonlySet<string>): Promise<readonly string[]> {
	const made = [...(await linksIn(directory))].filter((path) => !before.has(path));
	for (const path of made) await unlink(path);
	return made.map((path) => `${path} was made a link, which Git does not do. It was removed.`);
}
