import { existsSync, realpathSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { PatchOutcome } from "../../patch/change-set.ts";
import type { Patch } from "../../patch/grammar.ts";
import { type ApplyOptions, applyPatchToFiles, writeFiles } from "./apply-files.ts";
import { openHeldFolder } from "./held-folder.ts";
import { createJournal, type Journal, NO_JOURNAL } from "./journal.ts";
import { type Recovered, recoverPatches } from "./recover.ts";
import type { WantedFile } from "./verify-wanted.ts";

/** Takes a lock that ends with its holder, or says who has it. */
export type TakeLock = (path: string) => Promise<{ readonly release: () => void } | { readonly owner: string }>;

/**
 * Applies patches one after the other, also across windows that share the journal: two windows never change a file at
 * the same time.
 */
export interface Patcher {
	readonly apply: (patch: Patch, options: Omit<ApplyOptions, "journal" | "id">) => Promise<PatchOutcome>;
	/** Writes files, all or none. */
	readonly write: (
		wanted: readonly WantedFile[],
		options: Pick<ApplyOptions, "writable" | "documents">,
	) => Promise<PatchOutcome>;
	/** Finishes patches that a crash interrupted. Also done before every patch. */
	readonly recover: () => Promise<readonly Recovered[]>;
}

const PRIVATE_FOLDER = 0o700;
const LOCK_NAME = "journal";
/** How long another window may take with its patch. */
const LOCK_WAIT_MS = 10_000;
const LOCK_POLL_MS = 10;

export function createPatcher(options: {
	/** The journal's folder, never inside the workspace. Undefined if none is writable. */
	readonly folder: string | undefined;
	readonly lock: TakeLock;
	readonly newId: () => string;
	/** Called with patches that an earlier crash had interrupted. */
	readonly onRecovered: (recovered: readonly Recovered[]) => void;
}): Patcher {
	const { folder, lock, newId, onRecovered } = options;
	let queue: Promise<unknown> = Promise.resolve();
	const inTurn = <T>(work: (journal: Journal) => Promise<T>): Promise<T> => {
		const result = queue.then(() => (folder === undefined ? work(NO_JOURNAL) : withJournal(folder, lock, work)));
		queue = result.catch(() => undefined);
		return result;
	};
	const recover = async (journal: Journal): Promise<readonly Recovered[]> => {
		const recovered = await recoverPatches(journal);
		if (recovered.length > 0) onRecovered(recovered);
		return recovered;
	};
	return {
		apply: (patch, rest) =>
			inTurn(async (journal) => {
				await recover(journal);
				return applyPatchToFiles(patch, { ...rest, journal, id: newId() });
			}),
		write: (wanted, rest) =>
			inTurn(async (journal) => {
				await recover(journal);
				return writeFiles(wanted, { cwd: "/", ...rest, journal, id: newId() });
			}),
		recover: async () => {
			// Most starts find nothing, and then take no lock.
			if (folder === undefined || !(await hasUnfinished(folder))) return [];
			return inTurn(recover);
		},
	};
}

async function hasUnfinished(folder: string): Promise<boolean> {
	const names = await readdir(folder).catch(() => []);
	return names.some((name) => name.endsWith(".plan"));
}

async function withJournal<T>(folder: string, take: TakeLock, work: (journal: Journal) => Promise<T>): Promise<T> {
	if (!existsSync(folder)) await makeFolder(folder);
	const real = realpathSync.native(folder);
	const lock = await waitForLock(join(real, LOCK_NAME), take);
	try {
		const held = await openHeldFolder(real);
		try {
			return await work(createJournal(held));
		} finally {
			await held.close();
		}
	} finally {
		lock.release();
	}
}

function makeFolder(folder: string): Promise<void> {
	return mkdir(folder, { mode: PRIVATE_FOLDER }).catch((error: NodeJS.ErrnoException) => {
		// Another window has made it.
		if (error.code !== "EEXIST") throw error;
	});
}

async function waitForLock(path: string, take: TakeLock): Promise<{ readonly release: () => void }> {
	const deadline = performance.now() + LOCK_WAIT_MS;
	for (;;) {
		const lock = await take(path);
		if ("release" in lock) return lock;
		if (performance.now() > deadline) throw new Error(`Process ${lock.owner} has been applying a patch for too long.`);
		await pause(LOCK_POLL_MS);
	}
}
