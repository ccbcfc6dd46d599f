import { delimiter, isAbsolute, join } from "node:path";
import { isInside } from "../permissions/reach/reach.ts";
import type { RunRipgrep } from "../workspace/files/search.ts";
import { launchReadOnly } from "./linux/launch-read-only.ts";
import { firstExecutable, locateBwrap } from "./linux/locate-bwrap.ts";

/** Undefined if ripgrep or a sandbox for it is missing. */
export async function findRipgrep(
	editors: string | undefined,
	path: string | undefined,
	folders: readonly string[],
): Promise<RunRipgrep | undefined> {
	const [bwrap, ripgrep] = await Promise.all([locateBwrap(path, folders), locateRipgrep(editors, path, folders)]);
	if (bwrap === undefined || ripgrep === undefined) return undefined;
	return (args, { place, stdin }, limits, signal) =>
		launchReadOnly(bwrap, { program: ripgrep, args, place }, stdin, limits, signal);
}

/** The editor's ripgrep, otherwise one from the PATH; never a program inside a workspace folder. */
export async function locateRipgrep(
	editors: string | undefined,
	path: string | undefined,
	folders: readonly string[],
): Promise<string | undefined> {
	const name = process.platform === "win32" ? "rg.exe" : "rg";
	const places = (path ?? "").split(delimiter).filter(isAbsolute);
	const candidates = [...(editors === undefined ? [] : [editors]), ...places.map((place) => join(place, name))];
	return firstExecutable(candidates.filter((file) => !folders.some((folder) => isInside(file, folder))));
}
