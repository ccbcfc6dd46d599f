import { existsSync, readFileSync } from "node:fs";
import { type Before, readlinkOf } from "../protect/undo.ts";
import type { Prepared } from "./prepare.ts";

/** How often the protection of a running command is looked at. A look takes about a tenth of a millisecond. */
export const LOOK_MS = 20;

/** Where the kernel does not say when bubblewrap is ready, it is taken to be after so long. */
const SET_UP_MS = 1_000;

/** What has to stay as it is for as long as a command runs. */
export interface Protection {
	/** Places of mounts that close something or keep it from being written. */
	readonly mounts: readonly string[];
	/** What is closed and was not there, so that nothing could be mounted on it. */
	readonly absent: readonly string[];
	/** Protected names that are links, on which nothing can be mounted. */
	readonly links: Before["links"];
}

export function protectionOf(
	{ layout, absent }: Pick<Prepared, "layout" | "absent">,
	links: Before["links"],
): Protection {
	const mounts = layout.mounts
		.filter(({ access, isPrivate }) => access !== "write" || isPrivate)
		.map(({ path }) => path);
	return { mounts, absent, links };
}

/**
 * Calls `onLost` once, with a sentence, when something of the protection is gone. The kernel takes a mount away, without a word, when the
 * name under it is removed or replaced from outside: an editor saves a file, or Git changes to another branch.
 * @param findInit The sandbox's first process, when it is known; its view is the command's.
 */
export function watchProtection(
	protection: Protection,
	findInit: () => number | undefined,
	onLost: (sentence: string) => void,
): () => void {
	const began = performance.now();
	let last: string | undefined;
	let isSetUp = false;
	const findLost = (): string | undefined => {
		const init = findInit();
		// Asked before the mounts are read: what it says holds for them.
		isSetUp ||= init !== undefined && (hasChildren(init) ?? performance.now() - began > SET_UP_MS);
		const mountinfo = isSetUp ? readMounts(init) : undefined;
		if (mountinfo !== undefined && mountinfo !== last) {
			last = mountinfo;
			const present = mountPoints(mountinfo);
			const missing = protection.mounts.find((path) => !present.has(path));
			if (missing !== undefined) return `${missing} was replaced while the command ran`;
		}
		const appeared = protection.absent.find((path) => existsSync(path));
		if (appeared !== undefined) return `${appeared} is blocked and appeared while the command ran`;
		const led = protection.links.find(([path, target]) => readlinkOf(path) !== target);
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

/** Bubblewrap starts the command when its mounts are made, so from its first child on they are all there. */
function hasChildren(init: number): boolean | undefined {
	try {
		return readFileSync(`/proc/${init}/task/${init}/children`, "utf8") !== "";
	} catch {
		// A kernel that does not list them, or a process that has ended.
		return undefined;
	}
}

function readMounts(pid: number | undefined): string | undefined {
	if (pid === undefined) return undefined;
	try {
		return readFileSync(`/proc/${pid}/mountinfo`, "utf8");
	} catch {
		// It has ended.
		return undefined;
	}
}

/** The fifth field of each line; spaces and the like are written as octal numbers. */
export function mountPoints(mountinfo: string): ReadonlySet<string> {
	const fields = mountinfo.split("\n").flatMap((line) => line.split(" ", 5)[4] ?? []);
	return new Set(
		fields.map((field) =>
			field.replaceAll(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8))),
		),
	);
}
