import { closeSync, existsSync, lstatSync, mkdtempSync, openSync } from "node:fs";
import { chmod, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import type { Policy } from "../../permissions/policy/policy.ts";
import { mayWrite } from "../../permissions/reach/reach.ts";
import type { PrivateFolder } from "../layout/private-folders.ts";
import { makeFolder, temporaryFoldersIn } from "../run-folder.ts";

/** For commands without a thread: the host's own probes of a policy. */
const TRIALS = "trials";

/** Where a thread's temporary files are stored: below the host's own folder, which is closed to every command. */
export function temporaryFolderOf(home: string, thread = TRIALS): string {
	return join(temporaryFoldersIn(home), thread);
}

/**
 * Creates the folders to mount and their mount points. A folder that lacks any of it has not been used by a command.
 */
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

/** Removes the temporary files of deleted threads. */
export async function sweepTemporary(home: string, threads: ReadonlySet<string>): Promise<void> {
	const names = await readdir(temporaryFoldersIn(home)).catch(() => []);
	for (const name of names) if (name !== TRIALS && !threads.has(name)) await removeTemporary(home, name);
}

export async function removeTemporary(home: string, thread: string): Promise<void> {
	await removeWhole(temporaryFolderOf(home, thread));
}

/**
 * A cache folder for one command without its own temporary files. Others can write to the machine's temporary folder
 * too, so its name must not be predictable.
 */
export function makeCaches(policy: Policy): string | undefined {
	const isNeeded = policy.mode !== "full" && policy.closed.places.length > 0;
	return isNeeded && mayWrite(policy, tmpdir()) ? mkdtempSync(join(tmpdir(), "vitrine-caches-")) : undefined;
}

export async function removeWhole(folder: string): Promise<void> {
	await openFolders(folder);
	await rm(folder, { recursive: true, force: true });
}

/** A command may have removed all permissions of folders, so that not even their owner can empty them. */
async function openFolders(folder: string): Promise<void> {
	// A command may have replaced a folder that it could reach by a link.
	if (process.getuid?.() === 0 || lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return;
	await chmod(folder, 0o700).catch(() => undefined);
	const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
	for (const entry of entries) if (entry.isDirectory()) await openFolders(join(folder, entry.name));
}
