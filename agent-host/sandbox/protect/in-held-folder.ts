import { closeSync, constants, openSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import { FolderMoved } from "../../workspace/apply/folder-port.ts";

/**
 * Acts on a path in its folder, which is held open and was reached without a link: a command that is still running
 * cannot redirect it. Throws if a link is on the way by now.
 */
export function inHeldFolder<T>(path: string, act: (place: string) => T): T {
	const folder = dirname(path);
	const handle = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
	try {
		const base = process.platform === "linux" ? `/proc/self/fd/${handle}` : folder;
		// Other systems have no names for open handles; there nothing else of this process runs between the two.
		const real = process.platform === "linux" ? readlinkSync(base) : realpathSync.native(folder);
		if (real !== folder) throw new FolderMoved(folder);
		return act(`${base}/${basename(path)}`);
	} finally {
		closeSync(handle);
	}
}
