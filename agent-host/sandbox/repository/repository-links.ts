import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { openHeldFolder } from "../../workspace/apply/held-folder.ts";

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

/** Removes links, each in the folder that it was found in, with a sentence for each. */
export async function removeLinks(paths: readonly string[]): Promise<readonly string[]> {
	const notes: string[] = [];
	for (const path of paths) notes.push((await removeLink(path)) ? `${path} ${REMOVED}` : `${path} ${LEFT}`);
	return notes;
}

const REMOVED = "was replaced with a link, which Git does not do. The link was removed.";
const LEFT = "was replaced with a link, which Git does not do, and then moved. Check it before you use Git.";

/** Another call of Git may be running, so the folder is held: what a path leads to may change at any moment. */
async function removeLink(path: string): Promise<boolean> {
	const folder = await openHeldFolder(dirname(path)).catch(() => undefined);
	if (folder === undefined) return false;
	try {
		await folder.remove(basename(path));
		return true;
	} catch {
		return false;
	} finally {
		await folder.close();
	}
}
