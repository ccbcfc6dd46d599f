import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync } from "node:fs";
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

function createPlaceCheck(folders: readonly string[]): (handle: number, path: string) => boolean {
	if (process.platform !== "linux") return () => true;
	const real = folders.map((folder) => [folder, findRealPath(folder).real] as const);
	return (handle, path) => {
		const found = readlinkSync(`/proc/self/fd/${handle}`);
		return real.some(([folder, place]) => path.startsWith(folder) && found === place + path.slice(folder.length));
	};
}
