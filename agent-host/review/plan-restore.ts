/** A file that the agent changed, by the SHA-256 before and after; absent if there was no file. */
export interface Touch {
	readonly turnId: string;
	readonly path: string;
	readonly before?: string | undefined;
	readonly after?: string | undefined;
	/** Permission bits of a file that was removed. */
	readonly mode?: number | undefined;
}

/** How to restore one file. */
export interface RestoredFile {
	readonly path: string;
	/** Its current content, and the restored one. */
	readonly now: string | undefined;
	readonly target: string | undefined;
	/** Permission bits of a file that comes back. */
	readonly mode?: number | undefined;
	/** `conflict`: someone else changed it since, so it is left unless the user decides otherwise. */
	readonly state: "restore" | "conflict";
}

/**
 * The touches of several threads, so that those come first for each file that found its oldest content. The order within
 * a thread is certain; `since`, when the content before was read, only compares the first ones of two threads.
 */
export function joinTouches<T extends Touch & { readonly since: number }>(
	threads: readonly (readonly T[])[],
): readonly T[] {
	const ofOneFile = threads.flatMap((touches) => [...Map.groupBy(touches, ({ path }) => path).values()]);
	return ofOneFile.toSorted(([a], [b]) => (a?.since ?? 0) - (b?.since ?? 0)).flat();
}

/** Restores files to before the first of these touches. Files that are already in that state are omitted. */
export function planRestore(
	touches: readonly Touch[],
	hashNow: (path: string) => string | undefined,
	/** True if the file's content came only from the agent or from review actions. */
	isKnown: (path: string, hash: string | undefined) => boolean = () => false,
): readonly RestoredFile[] {
	const byPath = Map.groupBy(touches, ({ path }) => path);
	return [...byPath].flatMap(([path, all]): readonly RestoredFile[] => {
		const target = all[0]?.before;
		const now = hashNow(path);
		if (now === target) return [];
		// Every content that the agent found or left is stored and can be restored.
		const isOurs = isKnown(path, now) || all.some(({ before, after }) => now === before || now === after);
		// A change leaves them as they are, so those at its removal are those it had before.
		const mode = all.find((touch) => touch.mode !== undefined)?.mode;
		return [{ path, now, target, mode, state: isOurs ? "restore" : "conflict" }];
	});
}

/** Undoes a restore: back to each file's content, if it is still what the restore wrote. */
export function planRedo(
	restored: readonly Touch[],
	hashNow: (path: string) => string | undefined,
): readonly RestoredFile[] {
	return restored.flatMap(({ path, before, after, mode }): readonly RestoredFile[] => {
		const now = hashNow(path);
		return now === before ? [] : [{ path, now, target: before, mode, state: now === after ? "restore" : "conflict" }];
	});
}
