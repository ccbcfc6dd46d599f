import { existsSync, readFileSync } from "node:fs";
import { tryReadlink } from "../protect/try-readlink.ts";
import type { Before } from "../protect/undo.ts";
import { readMountinfo } from "./mountinfo.ts";
import type { Prepared } from "./prepare.ts";

/** How often the protection of a running command is checked. A check takes about a tenth of a millisecond. */
export const LOOK_MS = 20;

/** What must stay unchanged while a command runs. */
export interface Protection {
	/** Mount points that close something or make it read-only. */
	readonly mounts: readonly string[];
	/** Closed paths that did not exist, so that nothing could be mounted on them. */
	readonly absent: readonly string[];
	/** Protected names that are links, which cannot be mounted over. */
	readonly links: Before["links"];
}

export function collectProtection({ layout }: Pick<Prepared, "layout">, links: Before["links"]): Protection {
	const mounts = layout.mounts
		.filter(({ access, isPrivate }) => access !== "write" || isPrivate)
		.map(({ path }) => path);
	return { mounts, absent: layout.absent, links };
}

/**
 * Calls `onLost` once, with a sentence, when part of the protection is gone. The kernel silently removes a mount when
 * its path is removed or replaced from outside: an editor saves a file, or Git switches branches.
 * @param findInit The sandbox's first process, once its mounts are complete; its view is the command's.
 */
export function watchProtection(
	protection: Protection,
	findInit: () => number | undefined,
	onLost: (sentence: string) => void,
): () => void {
	let last: string | undefined;
	const findLost = (): string | undefined => {
		const mountinfo = readMounts(findInit());
		if (mountinfo !== undefined && mountinfo !== last) {
			last = mountinfo;
			const present = new Set(readMountinfo(mountinfo).map(({ at }) => at));
			const missing = protection.mounts.find((path) => !present.has(path));
			if (missing !== undefined) return `${missing} was replaced while the command ran`;
		}
		const appeared = protection.absent.find((path) => existsSync(path));
		if (appeared !== undefined) return `${appeared} is blocked and appeared while the command ran`;
		const led = protection.links.find(([path, target]) => tryReadlink(path) !== target);
		return led === undefined ? undefined : `${led[0]} was replaced while the command ran`;
	};
	const timer = setInterval(() => {
		const lost = findLost();
		if (lost === undefined) return;
		clearInterval(timer);
		onLost(`${lost}, so it was no longer protected. The command was stopped.`);
	}, LOOK_MS);
	timer.unref();
	return () => clearInterval(timer);
}

function readMounts(pid: number | undefined): string | undefined {
	if (pid === undefined) return undefined;
	try {
		return readFileSync(`/proc/${pid}/mountinfo`, "utf8");
	} catch {
		// The process has ended.
		return undefined;
	}
}
