import * as z from "zod";
import { pathOf } from "./documents.ts";
import { Folder } from "./initialize.ts";

export const DidChangeFolders = z.object({
	event: z.object({ added: z.array(Folder), removed: z.array(Folder) }),
});

/** Only folders on this machine can be read; those of a virtual workspace are left out. */
export function foldersOf(folders: readonly z.infer<typeof Folder>[]): readonly string[] {
	return folders.flatMap(({ uri }) => pathOf(uri) ?? []);
}

export function changeFolders(now: readonly string[], change: z.infer<typeof DidChangeFolders>): readonly string[] {
	const removed = new Set(foldersOf(change.event.removed));
	return [...now.filter((folder) => !removed.has(folder)), ...foldersOf(change.event.added)];
}
