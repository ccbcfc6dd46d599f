import { rename, unlink } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { PLATFORM } from "./platform.ts";
import type { Platform } from "./port.ts";

/** How long another program, such as a virus scanner, may hold a file that is to be replaced or removed. */
const MAX_WAIT_MS = 2_000;
const FIRST_PAUSE_MS = 5;

/** Makes the names in an open folder durable, where that takes a call of its own. */
export async function syncFolder(folder: { readonly sync: () => Promise<void> }): Promise<void> {
	if (PLATFORM.syncsFolders) await folder.sync();
}

/** Gives a file its name, in place of the file that has it. */
export function replaceFile(from: string, to: string): Promise<void> {
	return whileHeld(() => rename(from, to));
}

export function removeFile(path: string): Promise<void> {
	return whileHeld(() => unlink(path));
}

/** Tries again while another program holds the file, with longer and longer pauses. */
export async function whileHeld(
	work: () => Promise<void>,
	{ isHeldForAMoment }: Pick<Platform, "isHeldForAMoment"> = PLATFORM,
	maxWaitMs = MAX_WAIT_MS,
): Promise<void> {
	let waited = 0;
	for (let next = FIRST_PAUSE_MS; ; next *= 2) {
		try {
			return await work();
		} catch (error) {
			const { code } = error as NodeJS.ErrnoException;
			if (!isHeldForAMoment(code) || waited >= maxWaitMs) throw error;
		}
		await pause(next);
		waited += next;
	}
}
