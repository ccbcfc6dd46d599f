import { resolve } from "node:path";
import { isFolder } from "../../workspace/files/small-file.ts";

/** The folders that options name, or the sentence about one that is none. */
export function findFolders(named: readonly string[], cwd: string): readonly string[] | string {
	const folders = named.map((folder) => resolve(cwd, folder));
	for (const folder of folders) if (!isFolder(folder)) return `--cwd: ${folder} is not a folder.`;
	return folders;
}
