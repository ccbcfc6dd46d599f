import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import { isProtectedName } from "../../permissions/reach/reach.ts";
import { type Before, stampFile, type Undoing, type Undone } from "./undo.ts";

/** How often the names are also polled, in case the kernel has lost an event. */
const NAMES_MS = 20;
/** How often all folders are checked: soon after a change, rarely while nothing changes. */
const [SOONEST_MS, LATEST_MS] = [100, 500];
/** The pause after a check is this many times its duration. */
const PAUSE_FACTOR = 9;

/**
 * Undoes what a running command must not make, before another program can obey it: directly below the roots within
 * milliseconds, deeper within a second, or a few seconds if there are very many folders.
 */
export function watchPlanted(
	before: Before,
	undoing: Undoing,
	onUndone: (undone: Undone) => void,
	/** Called when a check fails: then nobody knows what the command makes. */
	onBlind: (reason: unknown) => void,
): () => void {
	let isOver = false;
	const look = async (undo: () => Promise<Undone>): Promise<Undone> => {
		// The last check has begun by then; what this one would take from it nobody would report.
		if (isOver) return NOTHING_UNDONE;
		try {
			const undone = await undo();
			if (undone.made.length > 0 || undone.notes.length > 0) onUndone(undone);
			return undone;
		} catch (error) {
			onBlind(error);
			return NOTHING_UNDONE;
		}
	};
	const lookAtNames = oneAtATime(() => look(undoing.named));
	const lookAtOne = (path: string) => void look(() => undoing.one(path));
	const watchers = before.roots.flatMap((root) => watchFolder(root, before.names, lookAtOne, lookAtNames));
	let last = stampRoots(before.roots);
	const names = setInterval(() => {
		const stamp = stampRoots(before.roots);
		if (stamp !== last || before.awaited.length > 0) lookAtNames();
		last = stamp;
	}, NAMES_MS);
	names.unref();
	let pause = SOONEST_MS;
	let all: NodeJS.Timeout;
	const lookAtAll = async (): Promise<void> => {
		const start = performance.now();
		const { isUnchanged } = await look(undoing.all);
		pause = Math.max(
			isUnchanged ? Math.min(pause * 2, LATEST_MS) : SOONEST_MS,
			PAUSE_FACTOR * (performance.now() - start),
		);
		if (!isOver) all = setTimeout(lookAtAll, pause).unref();
	};
	all = setTimeout(lookAtAll, pause).unref();
	return () => {
		isOver = true;
		clearInterval(names);
		clearTimeout(all);
		for (const watcher of watchers) watcher.close();
	};
}

/** Calls during a run cause one more run, after a pause as long as after a check of all: a root may hold very many names. */
function oneAtATime(act: () => Promise<unknown>): () => void {
	let state: "idle" | "busy" | "asked" = "idle";
	const begin = async (): Promise<void> => {
		if (state !== "idle") {
			state = "asked";
			return;
		}
		do {
			state = "busy";
			const start = performance.now();
			await act();
			const rest = PAUSE_FACTOR * (performance.now() - start);
			await new Promise((resolve) => setTimeout(resolve, rest).unref());
		} while (isAsked());
		state = "idle";
	};
	const isAsked = (): boolean => state === "asked";
	return () => void begin();
}

function watchFolder(
	root: string,
	names: readonly string[],
	onNamed: (path: string) => void,
	onSome: () => void,
): readonly FSWatcher[] {
	try {
		const watcher = watch(root, { persistent: false }, (_, name) => {
			if (name === null) onSome();
			else if (isProtectedName(names, name)) onNamed(join(root, name));
		});
		// Then polling must suffice.
		watcher.on("error", () => watcher.close());
		return [watcher];
	} catch {
		return [];
	}
}

function stampRoots(roots: readonly string[]): string {
	return roots.map(stampFile).join();
}

const NOTHING_UNDONE: Undone = { made: [], notes: [], isUnchanged: false };
