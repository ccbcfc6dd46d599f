import { closeSync, existsSync, lstatSync, mkdtempSync, openSync } from "node:fs";
import { chmod, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import type { Policy } from "../../permissions/policy/policy.ts";
import { mayWrite } from "../../permissions/reach/reach.ts";
import type { PrivateFolder } from "../layout/private-folders.ts";
import { makeFolder } from "../run-folder.ts";

/** Of commands that no thread runs: the host's own trials of a policy. */
const TRIALS = "trials";

/** Where a thread's temporary files are kept: below the host's own folder, which is closed to every command. */
export function temporaryOf(home: string, thread = TRIALS): string {
	return join(home, "tmp", thread);
}

/** Makes what is to be mounted, and what is mounted on. No command has run in a folder that lacks any of it. */
export function makePrivate(folders: readonly PrivateFolder[]): void {
	for (const { at, kept, shared } of folders) {
		makeFolder(kept);
		for (const { path, kind } of shared) {
			const point = join(kept, relative(at, path));
			makeFolder(kind === "file" ? dirname(point) : point);
			if (kind === "file" && !existsSync(point)) closeSync(openSync(point, "a"));
		}
	}
}

/** Removes the temporary files of threads that are gone. */
export async function sweepTemporary(home: string, threads: ReadonlySet<string>): Promise<void> {
	const names = await readdir(dirname(temporaryOf(home))).catch(() => []);
	for (const name of names) if (name !== TRIALS && !threads.has(name)) await removeTemporary(home, name);
}

export async function removeTemporary(home: string, thread: string): Promise<void> {
	await removeWhole(temporaryOf(home, thread));
}

/**
 * A folder for the caches of one command that has no temporary files of its own. Others can write to the machine's folder for
 * them as well, so its name must not be known before.
 */
export function makeCaches(policy: Policy): string | undefined {
	const isNeeded = policy.mode !== "full" && policy.closed.places.length > 0;
	return isNeeded && mayWrite(policy, tmpdir()) ? mkdtempSync(join(tmpdir(), "vitrine-caches-")) : undefined;
}

export async function removeWhole(folder: string): Promise<void> {
	await openFolders(folder);
	await rm(folder, { recursive: true, force: true });
}

/** A command may have closed folders to everybody, their owner too, who then cannot empty them. */
async function openFolders(folder: string): Promise<void> {
	// A command may have put a link in the place of one that it could reach by name.
	if (process.getuid?.() === 0 || lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return;
	await chmod(folder, 0o700).catch(() => undefined);
	const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
	for (const entry of entries) if (entry.isDirectory()) await openFolders(join(folder, entry.name));
}
