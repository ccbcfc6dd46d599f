import { dirname } from "node:path";
import type { Disk } from "../home/disk.ts";
import { segmentPaths } from "./segments.ts";

/** The complete result of a repair. While it exists, the repair is decided and only has to be finished. */
export function intactPath(path: string): string {
	return `${path}.intact`;
}

/**
 * Puts the result of a repair in the thread's place, if there is one; whatever was there is kept under another name.
 * Can be interrupted anywhere and repeated. The caller holds the thread's lock.
 */
export async function finishRepair(disk: Disk, path: string): Promise<void> {
	if ((await disk.stat(intactPath(path))) === undefined) return;
	// The names tell a reader that these are no segments.
	for (const segment of [...(await segmentPaths(disk, path))].reverse()) {
		await disk.rename(segment, await findFree(disk, `${segment}.before-repair`));
	}
	await disk.rename(intactPath(path), path);
	await disk.syncFolder(dirname(path));
}

/** What an earlier repair has kept is never replaced. */
async function findFree(disk: Disk, name: string): Promise<string> {
	for (let number = 1; ; number += 1) {
		const path = number === 1 ? name : `${name}-${number}`;
		if ((await disk.stat(path)) === undefined) return path;
	}
}
