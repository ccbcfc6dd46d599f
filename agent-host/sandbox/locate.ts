import { access, constants, realpath } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { isInside } from "../permissions/reach.ts";

const BWRAP_PLACES = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"];

/**
 * Bubblewrap, every link resolved: from where only the system's owner writes, else from the PATH, but never one that lies
 * in a folder commands can write to.
 */
export async function locateBwrap(path: string | undefined, writable: readonly string[]): Promise<string | undefined> {
	if (process.platform !== "linux") return undefined;
	const places = (path ?? "").split(delimiter).filter(isAbsolute);
	for (const candidate of [...BWRAP_PLACES, ...places.map((place) => join(place, "bwrap"))]) {
		const real = await realpath(candidate).catch(() => undefined);
		const isPlanted = real === undefined || writable.some((root) => root !== "/" && isInside(real, root));
		if (!isPlanted && (await firstExecutable([real])) !== undefined) return real;
	}
	return undefined;
}

/** The editor's ripgrep, else one from the PATH; never a program that lies inside a workspace folder. */
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

async function firstExecutable(candidates: readonly string[]): Promise<string | undefined> {
	for (const candidate of candidates) {
		const usable = await access(candidate, constants.X_OK).then(
			() => true,
			() => false,
		);
		if (usable) return candidate;
	}
	return undefined;
}
