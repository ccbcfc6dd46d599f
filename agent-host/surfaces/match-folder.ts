import { resolve } from "node:path";
import { findRealPath } from "../workspace/files/real-path.ts";

/** Whether a path means this folder, also with a slash at its end or through a link. */
export function matchFolder(folder: string): (path: string | undefined) => boolean {
	const wanted = findReal(folder);
	// Thousands of threads are in a few folders.
	const known = new Map<string | undefined, boolean>([[undefined, false]]);
	return (path) => {
		const isSame = known.get(path) ?? (path !== undefined && findReal(path) === wanted);
		known.set(path, isSame);
		return isSame;
	};
}

function findReal(path: string): string {
	return findRealPath(resolve(path)).real;
}
