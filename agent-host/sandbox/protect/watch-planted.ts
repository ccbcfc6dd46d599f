import { type FSWatcher, lstatSync, watch } from "node:fs";
import { isProtectedName } from "../../permissions/reach/reach.ts";
import type { Before, Undoing, Undone } from "./undo.ts";

/** How often the names are looked at besides, should the kernel have lost an event. */
const NAMES_MS = 20;
/** How often all folders are: soon after a change, seldom while nothing changes. */
const [SOONEST_MS, LATEST_MS] = [100, 500];
/** So much longer than a look is the pause after it. */
const PAUSE_FACTOR = 9;

/**
 * Undoes what a running command makes and must not make, before another program can obey it: directly below the roots within
 * milliseconds, deeper within a second, or a few where there are very many folders.
 */
export function watchPlanted(before: Before, undoing: Undoing, onUndone: (undone: Undone) => void): () => void {
	let isOver = false;
	const look = async (what: keyof Undoing): Promise<Undone> => {
		const undone = await undoing[what]();
		if (undone.made.length > 0) onUndone(undone);
		return undone;
	};
	const lookAtNames = oneAtATime(() => look("named"));
	const watchers = before.roots.flatMap((root) => watchFolder(root, before.names, lookAtNames));
	let last = stampOf(before.roots);
	const names = setInterval(() => {
		const stamp = stampOf(before.roots);
		if (stamp !== last || before.awaited.length > 0) lookAtNames();
		last = stamp;
	}, NAMES_MS);
	names.unref();
	let pause = SOONEST_MS;
	let all: NodeJS.Timeout;
	const lookAtAll = async (): Promise<void> => {
		const start = performance.now();
		const { isUnchanged } = await look("all");
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

/** What is asked for meanwhile is done once more, when it is over. */
function oneAtATime(act: () => Promise<unknown>): () => void {
	let state: "idle" | "busy" | "asked" = "idle";
	const begin = async (): Promise<void> => {
		if (state !== "idle") {
			state = "asked";
			return;
		}
		do {
			state = "busy";
			await act();
		} while (isAsked());
		state = "idle";
	};
	const isAsked = (): boolean => state === "asked";
	return () => void begin();
}

function watchFolder(root: string, names: readonly string[], onNamed: () => void): readonly FSWatcher[] {
	try {
		const watcher = watch(root, { persistent: false }, (_, name) => {
			if (name === null || isProtectedName(names, name)) onNamed();
		});
		// Then the looks at intervals have to do.
		watcher.on("error", () => watcher.close());
		return [watcher];
	} catch {
		return [];
	}
}

function stampOf(roots: readonly string[]): string {
	return roots.map((root) => lstatSync(root, { throwIfNoEntry: false, bigint: true })?.ctimeNs).join();
}
