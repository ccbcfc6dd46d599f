import { dirname, join } from "node:path";
import { isFolder } from "../../workspace/files/small-file.ts";
import { findGit, findShared, readGitFile } from "../../workspace/git/find-git.ts";

/**
 * The Git directory that the worktrees of a folder share; undefined if the folder is not the top of a repository. A file
 * that points elsewhere counts only if the place it leads to points back, as Git itself checks.
 */
export async function findSharedDirectory(folder: string): Promise<string | undefined> {
	const found = await findGit(folder);
	if (found.kind === "none") return undefined;
	const directory = (await findShared(found.directory)) ?? found.directory;
	if (!isFolder(join(directory, "objects"))) return undefined;
	if (found.kind === "directory") return directory;
	const back = await readGitFile(join(found.directory, "gitdir"));
	const pointsBack = back !== undefined && dirname(back.trim()) === folder;
	return pointsBack && dirname(dirname(found.directory)) === directory ? directory : undefined;
}
