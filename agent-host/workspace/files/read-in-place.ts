import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { Link } from "./content.ts";
import { findRealPath } from "./real-path.ts";

/**
 * Reads files below the folders, while a command may replace a folder by a link: the open file must lie where its path
 * says. Undefined if it does not, cannot be read or is larger than that.
 */
export function createReadInPlace(
	folders: readonly string[],
	maxBytes: number,
): (path: string) => Uint8Array | undefined {
	const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
	const isInPlace = createPlaceCheck(folders);
	return (path) => {
		try {
			const handle = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
			try {
				const stats = fstatSync(handle);
				const isRead = stats.isFile() && stats.size <= maxBytes && isInPlace(handle, path);
				return isRead ? readFileSync(handle) : undefined;
			} finally {
				closeSync(handle);
			}
		} catch {
			return undefined;
		}
	};
}

/** The same for links, which are read and not followed. */
export function createReadLinkInPlace(folders: readonly string[]): (path: string) => Link | undefined {
	const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
	const isInPlace = createPlaceCheck(folders);
	return (path) => {
		try {
			if (process.platform !== "linux") return { target: readlinkSync(path, "buffer") };
			const folder = dirname(path);
			// A folder that was opened may be a link itself.
			const handle = openSync(folder, O_RDONLY | O_DIRECTORY | (folders.includes(folder) ? 0 : O_NOFOLLOW));
			try {
				if (!isInPlace(handle, folder)) return undefined;
				return { target: readlinkSync(`/proc/self/fd/${handle}/${basename(path)}`, "buffer") };
			} finally {
				closeSync(handle);
			}
		} catch {
			return undefined;
		}
	};
}

function createPlaceCheck(folders: readonly string[]): (handle: number, path: string) => boolean {
	if (process.platform !== "linux") return () => true;
	const real = folders.map((folder) => [folder, findRealPath(folder).real] as const);
	return (handle, path) => {
		const found = readlinkSync(`/proc/self/fd/${handle}`);
		return real.some(([folder, place]) => path.startsWith(folder) && found === place + path.slice(folder.length));
	};
}
