import { readFile, writeFile } from "node:fs/promises";
import type { DatabaseSync } from "node:sqlite";

/** The right to write a thread. The kernel releases it when its holder dies, in any way. */
export interface ThreadLock {
	readonly release: () => void;
}

export type LockThread = (path: string) => Promise<ThreadLock | { readonly owner: string }>;

/**
 * Takes the lock of the thread whose file is `path`, or says which process has it. Node has no file locks; an exclusive
 * transaction on a small SQLite file serves as one, and nothing else may ever open that file.
 */
export const lockThread: LockThread = async (path) => {
	// Loaded with the first opened thread: listing threads needs no lock.
	const { DatabaseSync } = await import("node:sqlite");
	const database = new DatabaseSync(lockPath(path));
	try {
		database.exec("BEGIN EXCLUSIVE");
	} catch (error) {
		database.close();
		if (!isBusy(error)) throw error;
		return { owner: await readFile(ownerPath(path), "utf8").catch(() => "unknown") };
	}
	await writeFile(ownerPath(path), String(process.pid), { mode: 0o600 });
	return { release: () => closeOnce(database) };
};

export function lockPath(path: string): string {
	return `${path}.lock`;
}

export function ownerPath(path: string): string {
	return `${path}.owner`;
}

function closeOnce(database: DatabaseSync): void {
	if (database.isOpen) database.close();
}

function isBusy(error: unknown): boolean {
	return error instanceof Error && /database is locked/.test(error.message);
}
