import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { ThreadId } from "../../protocol/ids.ts";
import { VERSION } from "../../version.ts";
import type { Disk } from "../home/disk.ts";
import type { Proof } from "../records/admit-records.ts";
import { isSame } from "../records/record-seal.ts";
import { emptyState } from "../records/thread-state.ts";
import { type HeldLine, packState, type Saved, unpackState } from "./pack-state.ts";

/** Everything that reading a thread's file has come to, up to a place in it. */
export interface Kept extends Saved {
	/** Length and checksum of the part of the file that it stands for. */
	readonly bytes: number;
	readonly checksum: number;
}

/**
 * The kept state of one thread, in a file beside its log. It only saves work: the log is what counts, and a state that
 * does not stand for exactly its beginning, or is not under this host's seal, is not used.
 */
export interface KeptState {
	readonly read: () => Promise<Kept | undefined>;
	/**
	 * Resolves when nothing of `kept` is needed any more; it is written meanwhile. `since`: where the state that was read
	 * before ends. False if nothing is written, because little was added since or it may not be.
	 */
	readonly write: (kept: Kept & { readonly since: number }) => Promise<boolean>;
	/** Resolves when nothing is being written. The lock of the thread is held until then. */
	readonly settled: () => Promise<void>;
}

/** With less to read, reading it is about as fast. */
const MIN_BYTES = 250_000;
/** With more to read, opening a thread takes noticeably longer. */
const MAX_BYTES = 1_000_000;
/** The state of a long thread is long, too, so it is replaced less often. */
const LOG_SHARE = 1 / 16;
const PIECE_BYTES = 1_048_576;
/** Change the number when what is kept of the same records changes. The fields of a state are in it, too. */
const FORMAT = ["vitrine-state", 3, VERSION, process.versions.v8, digestFields()].join(" ");
/** Seal, format, salt, length and checksum of the log, lengths of the pieces. */
const HEAD = /^([0-9a-f]{32})\n([^\n]*) ([0-9a-f]{64}) (\d+) (\d+) ([\d,]+)\n/;
const HEAD_BYTES = 65_536;
const SALT_BYTES = 32;

export function statePath(path: string): string {
	return `${path}.state`;
}

/** How many bytes of a log of this length are read when it is opened before its state is kept again. */
export function leastToKeep(bytes: number): number {
	return Math.min(Math.max(bytes * LOG_SHARE, MIN_BYTES), MAX_BYTES);
}

/** `access`: only the holder of the thread's lock may write, so that nothing is left of a deleted thread. */
export function openKeptState(
	disk: Disk,
	path: string,
	proof: Proof,
	access: "read" | "write",
	leastOf = leastToKeep,
): KeptState {
	const { threadId, key } = proof;
	let writing: Promise<void> = Promise.resolve();
	return {
		read: async () => {
			if (key === undefined) return undefined;
			const file = await disk.read(statePath(path)).catch(() => undefined);
			const [head, seal = "", format, salt = "", bytes, checksum, lengths = ""] =
				HEAD.exec(file?.toString("latin1", 0, HEAD_BYTES) ?? "") ?? [];
			if (file === undefined || head === undefined || format !== FORMAT) return undefined;
			// Before anything of it is read: only this host's own bytes are trusted to be well-formed.
			if (!isSame(key.state(threadId, salt, file.subarray(seal.length + 1)), seal)) return undefined;
			const place = { bytes: Number(bytes), checksum: Number(checksum) };
			const pieces = split(file.subarray(head.length), lengths.split(",").map(Number));
			// The log is read from the disk meanwhile.
			const [isSameLog, saved] = await Promise.all([isBeginning(disk, path, place), unpackState(pieces)]);
			return isSameLog ? { ...place, ...movedTo(path, saved) } : undefined;
		},
		write: async ({ since, bytes, checksum, ...state }) => {
			if (key === undefined || access === "read" || bytes === since || bytes - since < leastOf(bytes)) return false;
			const pieces = await packState(state);
			const salt = randomBytes(SALT_BYTES).toString("hex");
			const head = [FORMAT, salt, bytes, checksum, pieces.map(({ length }) => length).join()].join(" ");
			const sealed = Buffer.concat([Buffer.from(`${head}\n`), ...pieces]);
			writing = replaceState(disk, path, [Buffer.from(`${key.state(threadId, salt, sealed)}\n`), sealed]);
			return true;
		},
		settled: () => writing,
	};
}

async function replaceState(disk: Disk, path: string, bytes: readonly Buffer[]): Promise<void> {
	const fresh = `${statePath(path)}.new`;
	try {
		await disk.remove(fresh).catch(() => undefined);
		await disk.create(fresh, Buffer.concat(bytes));
		await disk.rename(fresh, statePath(path));
	} catch {
		// It only saves work; a full disk must not prevent the thread from opening.
		await disk.remove(fresh).catch(() => undefined);
	}
}

/** A state with other fields is one of another build. */
function digestFields(): string {
	const state = emptyState(ThreadId.parse("any"), { settings: {}, baseInstructions: "" }, 0);
	return crc32(Object.keys(state).sort().join()).toString(16);
}

function split(bytes: Buffer, lengths: readonly number[]): readonly Buffer[] {
	let start = 0;
	return lengths.map((length) => {
		start += length;
		return bytes.subarray(start - length, start);
	});
}

/** The places are in the thread's only file, wherever the home folder is now. */
function movedTo(path: string, saved: Saved): Saved {
	const move = (line: HeldLine): HeldLine => (typeof line === "string" ? line : { ...line, path });
	return {
		...saved,
		newest: new Map([...saved.newest].map(([type, line]) => [type, move(line)])),
		held: saved.held.map(move),
	};
}

/** Whether the file begins with exactly these bytes. */
async function isBeginning(
	disk: Disk,
	path: string,
	{ bytes, checksum }: Pick<Kept, "bytes" | "checksum">,
): Promise<boolean> {
	const file = await disk.openRead(path);
	try {
		const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
		let found = 0;
		for (let at = 0; at < bytes; ) {
			const read = await file.read(piece.subarray(0, Math.min(PIECE_BYTES, bytes - at)), at);
			if (read === 0) return false;
			found = crc32(piece.subarray(0, read), found);
			at += read;
		}
		return found === checksum;
	} finally {
		await file.close();
	}
}
