import { dirname } from "node:path";
import type { DiskOperation } from "./memory-disk.ts";

/** The files after `kill -9`: the kernel keeps all that was written, of a write in flight any part. */
export function afterKill(operations: readonly DiskOperation[], torn: number): ReadonlyMap<string, Buffer> {
	const { names, files } = replayOperations(operations);
	const last = operations.at(-1);
	if (last?.op === "write") {
		const file = files.get(last.file);
		if (file !== undefined) file.bytes = file.bytes.subarray(0, file.bytes.length - (last.bytes.length - torn));
	}
	return filesByName(names, files);
}

/**
 * The files after the power went: what was synced is there; of the rest any part may be, torn or as NUL bytes, and a name that its
 * folder was not synced for may be missing.
 */
export function afterPowerLoss(
	operations: readonly DiskOperation[],
	random: () => number,
): ReadonlyMap<string, Buffer> {
	const { names, files, durableNames } = replayOperations(operations);
	for (const file of files.values()) {
		const unsynced = file.bytes.length - file.synced;
		if (unsynced <= 0) continue;
		const kept = Math.floor(random() * (unsynced + 1));
		const tail = file.bytes.subarray(file.synced, file.synced + kept);
		const filled = random() < 0.3 ? Buffer.alloc(tail.length) : tail;
		file.bytes = Buffer.concat([file.bytes.subarray(0, file.synced), filled]);
	}
	const kept = [...names].filter(([path]) => durableNames.has(path) || random() < 0.5);
	return filesByName(new Map(kept), files);
}

interface FileState {
	bytes: Buffer;
	synced: number;
}

/** A file while it is written: joined once, since thousands of crashes are tried. */
interface GrowingFile {
	parts: Buffer[];
	size: number;
	synced: number;
}

function replayOperations(operations: readonly DiskOperation[]) {
	const names = new Map<string, number>();
	const files = new Map<number, GrowingFile>();
	const durableNames = new Set<string>();
	for (const operation of operations) {
		switch (operation.op) {
			case "name":
				names.set(operation.path, operation.file);
				files.set(operation.file, { parts: [], size: 0, synced: 0 });
				break;
			case "unname":
				names.delete(operation.path);
				break;
			case "move":
				names.set(operation.to, names.get(operation.from) ?? -1);
				names.delete(operation.from);
				break;
			case "write": {
				const file = files.get(operation.file);
				file?.parts.push(operation.bytes);
				if (file !== undefined) file.size += operation.bytes.length;
				break;
			}
			case "truncate": {
				const file = files.get(operation.file);
				if (file === undefined) break;
				file.parts = [Buffer.concat(file.parts).subarray(0, operation.size)];
				file.size = Math.min(file.size, operation.size);
				file.synced = Math.min(file.synced, operation.size);
				break;
			}
			case "sync": {
				const file = files.get(operation.file);
				if (file !== undefined) file.synced = file.size;
				break;
			}
			case "syncFolder":
				for (const path of names.keys()) if (dirname(path) === operation.path) durableNames.add(path);
				break;
			case "folder":
			case "unfolder":
				break;
		}
	}
	const joined = [...files].map(
		([file, { parts, synced }]) => [file, { bytes: Buffer.concat(parts), synced }] as const,
	);
	return { names, files: new Map<number, FileState>(joined), durableNames };
}

function filesByName(
	names: ReadonlyMap<string, number>,
	files: ReadonlyMap<number, FileState>,
): ReadonlyMap<string, Buffer> {
	return new Map([...names].map(([path, file]) => [path, files.get(file)?.bytes ?? Buffer.alloc(0)]));
}

/** Numbers from 0 to 1 that come again with the same seed. */
export function createRandom(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
}
