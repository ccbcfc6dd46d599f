import { randomBytes } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { type Said, say } from "../../protocol/say.ts";
import { createSealKey, isSame, type SealKey } from "../records/record-seal.ts";
import type { Disk } from "./disk.ts";
import type { LockThread } from "./lock.ts";

/**
 * Proves which parts of a thread's file this host wrote. The key and the newest seal of each thread are in a folder
 * beside the threads.
 */
export interface Seals {
	/** The key, created if it is missing and `make` says so. Undefined if there is none, or it is unusable. */
	readonly key: (make: "make" | "find") => Promise<SealKey | undefined>;
	/** The newest seal of a thread's rights; undefined if none can be proved. */
	readonly pinned: (threadId: string) => Promise<string | undefined>;
	/** Durable when this resolves: from now on nothing older counts. */
	readonly pin: (threadId: string, seal: string) => Promise<void>;
	/** Why nothing can be sealed, as a sentence, if so. */
	readonly problem: () => Said | undefined;
}

const FOLDER = "seals";
const KEY_FILE = "key";
const KEY = /^[0-9a-f]{64}\n$/;
const PIN = /^([0-9a-f]{64}) ([0-9a-f]{64})\n$/;
/** How often we wait for another host to finish the key that it is creating. */
const ATTEMPTS = 100;
const PAUSE_MS = 20;

export function openSeals(disk: Disk, lock: LockThread, home: string): Seals {
	const folder = join(home, FOLDER);
	const path = join(folder, KEY_FILE);
	let known: SealKey | undefined;
	let problem: Said | undefined;
	const find = async (): Promise<SealKey | "none" | "unusable"> => {
		const text = await disk.read(path).then(
			(bytes) => bytes.toString("latin1"),
			(error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? undefined : ""),
		);
		if (text === undefined) return "none";
		return KEY.test(text) ? createSealKey(Buffer.from(text.trim(), "hex")) : "unusable";
	};
	const key: Seals["key"] = async (make) => {
		if (known !== undefined) return known;
		let found = await find();
		if (found === "none" && make === "make") found = await makeKey(disk, lock, path, find);
		problem = found === "unusable" ? unusable(path) : undefined;
		if (typeof found === "string") return undefined;
		known = found;
		return known;
	};
	return {
		key,
		pinned: async (threadId) => {
			const own = await key("find");
			const text = await disk.read(pinPath(folder, threadId)).catch(() => undefined);
			const [, seal = "", proof = ""] = PIN.exec(text?.toString("latin1") ?? "") ?? [];
			return own !== undefined && seal !== "" && isSame(own.pin(threadId, seal), proof) ? seal : undefined;
		},
		pin: async (threadId, seal) => {
			const own = await key("make");
			if (own === undefined) return;
			const fresh = `${pinPath(folder, threadId)}.new`;
			await disk.remove(fresh).catch(() => undefined);
			await disk.create(fresh, Buffer.from(`${seal} ${own.pin(threadId, seal)}\n`));
			await disk.rename(fresh, pinPath(folder, threadId));
			await disk.syncFolder(folder);
		},
		problem: () => problem,
	};
}

/** Removes the newest seal of the thread whose file is `path`. */
export async function removePin(disk: Disk, path: string): Promise<void> {
	const threadId = basename(path).replace(/\.jsonl$/, "");
	await disk.remove(pinPath(join(dirname(dirname(path)), FOLDER), threadId)).catch(() => undefined);
}

function pinPath(folder: string, threadId: string): string {
	return join(folder, `${threadId}.newest`);
}

/** One host creates the key; others that start meanwhile use the same one. */
async function makeKey(
	disk: Disk,
	lock: LockThread,
	path: string,
	find: () => Promise<SealKey | "none" | "unusable">,
): Promise<SealKey | "none" | "unusable"> {
	await disk.makeFolder(dirname(path)).catch((error: NodeJS.ErrnoException) => {
		if (error.code !== "EEXIST") throw error;
	});
	for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
		const taken = await lock(path);
		if ("release" in taken) {
			try {
				const found = await find();
				if (found === "none") await writeKey(disk, path);
				return await find();
			} finally {
				taken.release();
			}
		}
		await new Promise((done) => setTimeout(done, PAUSE_MS));
	}
	return find();
}

async function writeKey(disk: Disk, path: string): Promise<void> {
	const fresh = `${path}.${process.pid}.new`;
	await disk.remove(fresh).catch(() => undefined);
	await disk.create(fresh, Buffer.from(`${randomBytes(32).toString("hex")}\n`));
	await disk.rename(fresh, path);
	await disk.syncFolder(dirname(path));
	await disk.syncFolder(dirname(dirname(path)));
}

function unusable(path: string): Said {
	return say("key-unreadable", { path });
}
