import { deserialize, serialize } from "node:v8";
import { crc32 } from "node:zlib";
import { ThreadId } from "../../protocol/ids.ts";
import { VERSION } from "../../version.ts";
import type { Disk } from "../home/disk.ts";
import type { Proof } from "../records/admit-records.ts";
import { isSame } from "../records/record-seal.ts";
import { emptyState } from "../records/thread-state.ts";
import type { EventPlace, SavedPlaces } from "./event-log.ts";
import type { FoldState } from "./fold-lines.ts";

/** A line of an unfinished turn: its JSON, or only its place if only that turn needs it. */
export type HeldLine = string | Omit<EventPlace, "seq">;

/** Everything that reading a thread's file has come to, up to a place in it. */
export interface Kept {
	/** Length and checksum of the part of the file that it stands for. */
	readonly bytes: number;
	readonly checksum: number;
	readonly fold: FoldState;
	readonly last: { readonly n: number; readonly at: number };
	readonly newest: ReadonlyMap<string, HeldLine>;
	readonly held: readonly HeldLine[];
	readonly isOpen: boolean;
	readonly events: SavedPlaces;
}

/**
 * The kept state of one thread, in a file beside its log. It only saves work: the log is what counts, and a state that
 * does not stand for exactly its beginning, or is not under this host's seal, is not used.
 */
export interface KeptState {
	readonly read: () => Promise<Kept | undefined>;
	/** `since`: where the state that was read before ends. Nothing is written if little was added since. */
	readonly write: (kept: Kept & { readonly since: number }) => Promise<void>;
}

/** With less to read, reading it is as fast. */
const MIN_BYTES = 1_000_000;
const PIECE_BYTES = 1_048_576;
/** Change the number when what is kept of the same records changes. The fields of a state are in it, too. */
const FORMAT = ["vitrine-state", 1, VERSION, process.versions.v8, digestFields()].join(" ");
const HEAD = /^([0-9a-f]{64})\n([^\n]*) (\d+) (\d+)\n/;
const HEAD_BYTES = 300;

export function statePath(path: string): string {
	return `${path}.state`;
}

/** `access`: only the holder of the thread's lock may write, so that nothing is left of a deleted thread. */
export function openKeptState(
	disk: Disk,
	path: string,
	proof: Proof,
	access: "read" | "write",
	minBytes = MIN_BYTES,
): KeptState {
	const { threadId, key } = proof;
	return {
		read: async () => {
			if (key === undefined) return undefined;
			const file = await disk.read(statePath(path)).catch(() => undefined);
			const [head, seal = "", format, bytes, checksum] = HEAD.exec(file?.toString("latin1", 0, HEAD_BYTES) ?? "") ?? [];
			if (file === undefined || head === undefined || format !== FORMAT) return undefined;
			// Before anything of it is read: only this host's own bytes are trusted to be well-formed.
			if (!isSame(key.state(threadId, file.subarray(seal.length + 1)), seal)) return undefined;
			const place = { bytes: Number(bytes), checksum: Number(checksum) };
			if (!(await isBeginning(disk, path, place))) return undefined;
			return { ...place, ...movedTo(path, deserialize(file.subarray(head.length))) };
		},
		write: async ({ since, bytes, checksum, ...state }) => {
			if (key === undefined || access === "read" || bytes === since || bytes - since < minBytes) return;
			const sealed = Buffer.concat([Buffer.from(`${FORMAT} ${bytes} ${checksum}\n`), serialize(state)]);
			const fresh = `${statePath(path)}.new`;
			try {
				await disk.remove(fresh).catch(() => undefined);
				await disk.create(fresh, Buffer.concat([Buffer.from(`${key.state(threadId, sealed)}\n`), sealed]));
				await disk.rename(fresh, statePath(path));
			} catch {
				// It only saves work; a full disk must not prevent the thread from opening.
				await disk.remove(fresh).catch(() => undefined);
			}
		},
	};
}

/** A state with other fields is one of another build. */
function digestFields(): string {
	const state = emptyState(ThreadId.parse("any"), { settings: {}, baseInstructions: "" }, 0);
	return crc32(Object.keys(state).sort().join()).toString(16);
}

type Saved = Omit<Kept, "bytes" | "checksum">;

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
