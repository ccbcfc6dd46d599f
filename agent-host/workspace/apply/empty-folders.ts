import { basename, dirname, join } from "node:path";
import type { Folder } from "./folder-port.ts";
import { openHeldFolder } from "./held-folder.ts";
import { createHolder, findOwnPlace } from "./place.ts";
import type { VerifyOptions } from "./verify.ts";
import type { WantedFile } from "./verify-wanted.ts";

/** Limit for nested folders: each of them is held open. */
const MAX_DEPTH = 64;

/**
 * Something in the folder at a path that is not a folder itself, and not among what will be gone; undefined if there is
 * nothing, or no folder.
 */
export async function findInFolder(path: string, isGone: (path: string) => boolean): Promise<string | undefined> {
	const above = await openHeldFolder(dirname(path)).catch(() => undefined);
	try {
		return above && (await findAt(above, basename(path), isGone));
	} finally {
		await above?.close();
	}
}

/** Removes folders with nothing in them but folders from where files are to come. */
export async function clearEmptyFolders(wanted: readonly WantedFile[], options: VerifyOptions): Promise<void> {
	const holder = createHolder(options.openFolder);
	try {
		for (const { path, after } of wanted) {
			if (after === undefined) continue;
			const place = await findOwnPlace(path, options.writable, holder);
			if ("refusal" in place || place.entry?.kind !== "folder") continue;
			if ((await findAt(place.folder, place.name, () => false)) === undefined)
				await removeFolders(place.folder, place.name);
		}
	} finally {
		await holder.close();
	}
}

async function findAt(
	above: Folder,
	name: string,
	isGone: (path: string) => boolean,
	depth = 0,
): Promise<string | undefined> {
	const path = join(above.path, name);
	if ((await above.look(name))?.kind !== "folder") return depth === 0 || isGone(path) ? undefined : path;
	if (depth === MAX_DEPTH) return path;
	const folder = await above.openFolder(name);
	try {
		for (const inner of await folder.list()) {
			const found = await findAt(folder, inner, isGone, depth + 1);
			if (found !== undefined) return found;
		}
		return undefined;
	} finally {
		await folder.close();
	}
}

async function removeFolders(above: Folder, name: string): Promise<void> {
	const folder = await above.openFolder(name);
	try {
		for (const inner of await folder.list()) await removeFolders(folder, inner);
	} finally {
		await folder.close();
	}
	await above.removeFolder(name);
}
