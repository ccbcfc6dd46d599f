/** A file that the agent changed, by the SHA-256 of what it found and what it left; absent where there was no file. */
export interface Touch {
	readonly turnId: string;
	readonly path: string;
	readonly before?: string | undefined;
	readonly after?: string | undefined;
}

/** What to do about one file to bring it back to what it was. */
export interface RestoredFile {
	readonly path: string;
	/** What it is now, and what it is to be. */
	readonly now: string | undefined;
	readonly target: string | undefined;
	/** `conflict`: somebody else changed it since, so it is left unless the user says otherwise. */
	readonly state: "restore" | "conflict";
}

/** Files as they were before the first of these touches. What is so already is not among them. */
export function planRestore(
	touches: readonly Touch[],
	hashNow: (path: string) => string | undefined,
	/** Whether nobody but the agent, and the review of its changes, has made this of a file. */
	isKnown: (path: string, hash: string | undefined) => boolean = () => false,
): readonly RestoredFile[] {
	const byPath = Map.groupBy(touches, ({ path }) => path);
	return [...byPath].flatMap(([path, all]): readonly RestoredFile[] => {
		const target = all[0]?.before;
		const now = hashNow(path);
		if (now === target) return [];
		// Any state that the agent found or left is kept and can be had again.
		const isOurs = isKnown(path, now) || all.some(({ before, after }) => now === before || now === after);
		return [{ path, now, target, state: isOurs ? "restore" : "conflict" }];
	});
}

/** The way back from a restore: to what each file was, as long as it is still what the restore made of it. */
export function planRedo(
	restored: readonly Touch[],
	hashNow: (path: string) => string | undefined,
): readonly RestoredFile[] {
	return restored.flatMap(({ path, before, after }): readonly RestoredFile[] => {
		const now = hashNow(path);
		return now === before ? [] : [{ path, now, target: before, state: now === after ? "restore" : "conflict" }];
	});
}
