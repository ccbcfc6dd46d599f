import { resolve } from "node:path";
import { isFolder } from "../../workspace/files/small-file.ts";

/** The folders that options name, or the sentence about one that is none. */
export async function findFolders(named: readonly string[], cwd: string): Promise<readonly string[] | string> {
	const folders = named.map((folder) => resolve(cwd, folder));
	for (const folder of folders) if (!(await isFolder(folder))) return `--cwd: ${folder} is not a folder.`;
	return folders;
}
