import { access, constants } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { isInside } from "../permissions/reach.ts";

const BWRAP_PLACES = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"];

/** Bubblewrap, from places that only the system's owner can write to; never from the PATH. */
export async function locateBwrap(): Promise<string | undefined> {
	return process.platform === "linux" ? firstExecutable(BWRAP_PLACES) : undefined;
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
