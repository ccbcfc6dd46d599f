import type { Disk } from "../../agent-host/store/home/disk.ts";
import { createMemoryDisk } from "./memory-disk.ts";

export interface SlowDisk {
	readonly disk: Disk;
	/** The next look at such a path, as a folder or a file, waits until it is released. */
	readonly hold: (end: RegExp) => { readonly reached: Promise<void>; readonly release: () => void };
}

/** Where every turn looks before it is sealed. */
export const BEFORE_SEALING = /worktrees$/;

/** A disk in memory, with operations that wait for the test. */
export function aSlowDisk(): SlowDisk {
	const disk = createMemoryDisk();
	let next: { readonly end: RegExp; readonly reached: () => void; readonly go: Promise<void> } | undefined;
	const wait = async (path: string): Promise<void> => {
		const held = next?.end.test(path) ? next : undefined;
		if (held === undefined) return;
		next = undefined;
		held.reached();
		await held.go;
	};
	return {
		disk: {
			...disk,
			async list(path) {
				await wait(path);
				return disk.list(path);
			},
			async read(path) {
				await wait(path);
				return disk.read(path);
			},
		},
		hold(end) {
			const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
			next = { end, reached: reached.resolve, go: go.promise };
			return { reached: reached.promise, release: go.resolve };
		},
	};
}
