import { isAbsolute, relative } from "node:path";

/** Whether a resolved path is inside a folder. */
export function isInside(path: string, folder: string): boolean {
	const way = relative(folder, path);
	return way !== "" && way !== ".." && !/^\.\.[/\\]/.test(way) && !isAbsolute(way);
}
