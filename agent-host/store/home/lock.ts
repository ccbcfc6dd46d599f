import { readFile, truncate, writeFile } from "node:fs/promises";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";

/** The right to write a thread. The kernel releases it when its holder dies, in any way. */
export interface ThreadLock {
	readonly release: () => void;
}

/** Two processes that try at the same moment can both be refused, so a refusal counts only after several attempts. */
const ATTEMPTS = 5;
const MAX_PAUSE_MS = 10;

export type LockThread = (path: string) => Promise<ThreadLock | { readonly owner: string }>;

/**
 * Takes the lock of the thread whose file is `path`, or says which process has it. Node has no file locks; an exclusive
 * transaction on a small SQLite file serves as one, and nothing else may ever open that file.
 */
export const lockThread: LockThread = async (path) => {
	for (let attempt = 1; ; attempt++) {
		const database = await beginExclusive(lockPath(path));
		if (database !== undefined) {
			await writeFile(ownerPath(path), String(process.pid), { mode: 0o600 });
			return { release: () => closeOnce(database) };
		}
		if (attempt === ATTEMPTS) return { owner: await readFile(ownerPath(path), "utf8").catch(() => "unknown") };
		await pause(1 + Math.random() * MAX_PAUSE_MS);
	}
};

/** Undefined if another process has the lock or is trying for it at this moment, or if the file was damaged. */
async function beginExclusive(path: string): Promise<DatabaseSync | undefined> {
	// Loaded with the first opened thread: listing threads needs no lock.
	const { DatabaseSync } = await import("node:sqlite");
	const database = new DatabaseSync(path);
	try {
		database.exec("BEGIN EXCLUSIVE");
		return database;
	} catch (error) {
		database.close();
		// Its bytes mean nothing, and emptying it does not end a lock that another process has on it meanwhile.
		if (isDamaged(error)) await truncate(path, 0);
		else if (!isBusy(error)) throw error;
		return undefined;
	}
}

export function lockPath(path: string): string {
	return `${path}.lock`;
}

export function ownerPath(path: string): string {
	return `${path}.owner`;
}

function closeOnce(database: DatabaseSync): void {
	if (database.isOpen) database.close();
}

function isDamaged(error: unknown): boolean {
	return error instanceof Error && /not a database|malformed/.test(error.message);
}

function isBusy(error: unknown): boolean {
	return error instanceof Error && /database is locked/.test(error.message);
}
