import { readFileSync } from "node:fs";
import type { Watch } from "../command/watch-limits.ts";
import { findWrongMount, type ToldMount } from "./check-mounts.ts";
import { readInitPid } from "./end-sandbox.ts";
import { type KernelMount, readMountinfo } from "./mountinfo.ts";

/** How often we look whether a sandbox is set up, which takes about ten milliseconds. */
const LOOK_MS = 1;
/** If it takes longer, the machine is not only busy. */
const SET_UP_MS = 60_000;

/** A command that waits in its sandbox until that is known to be the right one. */
export interface HeldCommand {
	/** Looks at the sandbox once it is set up, and ends it if it shows anything else than it was told to. */
	readonly check: Watch;
	/** The sandbox's first process, once it was found to be right. */
	readonly findInit: () => number | undefined;
	/** Lets the command begin as soon as its sandbox was checked. */
	readonly release: () => void;
}

/**
 * @param status Where bubblewrap reports the sandbox's first process.
 * @param go Makes bubblewrap start the command.
 */
export function holdBack(told: readonly ToldMount[], status: number, go: () => void): HeldCommand {
	let waitsFor = 2;
	let checked: number | undefined;
	const pass = (): void => {
		waitsFor -= 1;
		if (waitsFor === 0) go();
	};
	const check: Watch = (_, end) => {
		const deadline = performance.now() + SET_UP_MS;
		const timer = setInterval(() => {
			const init = readInitPid(status);
			const mounts = init === undefined ? undefined : readMounts(init);
			const isLate = performance.now() > deadline;
			if (mounts === undefined && !isLate) return;
			clearInterval(timer);
			const problem = mounts === undefined ? "The sandbox was not set up in time" : findProblem(told, mounts);
			if (problem !== undefined) return end(`${problem}, so the command did not run.`);
			checked = init;
			pass();
		}, LOOK_MS);
		return () => clearInterval(timer);
	};
	return { check, findInit: () => checked, release: pass };
}

/** The mounts of a sandbox once they are complete: bubblewrap gives up its capabilities then, with which it makes them. */
function readMounts(init: number): readonly KernelMount[] | undefined {
	try {
		if (!/^CapEff:\s*0+$/m.test(readFileSync(`/proc/${init}/status`, "utf8"))) return undefined;
		return readMountinfo(readFileSync(`/proc/${init}/mountinfo`, "utf8"));
	} catch {
		// It has ended.
		return undefined;
	}
}

function findProblem(told: readonly ToldMount[], theirs: readonly KernelMount[]): string | undefined {
	const ours = readMountinfo(readFileSync("/proc/self/mountinfo", "utf8"));
	const wrong = findWrongMount(told, ours, theirs);
	return wrong && `${wrong} was replaced while the sandbox was set up`;
}
