import { readFileSync } from "node:fs";
import type { Watch } from "../command/watch-limits.ts";
import { findWrongMount, type ToldMount } from "./check-mounts.ts";
import { readInitPid } from "./end-sandbox.ts";
import { readMountinfo } from "./mountinfo.ts";

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

/** A sandbox that was found to be right. */
export interface CheckedSandbox {
	/** Its first process. */
	readonly init: number;
	/** Whether its mounts, and those of this machine, are still the ones that were compared. */
	readonly isUnchanged: () => boolean;
}

/**
 * @param status Where bubblewrap reports the sandbox's first process.
 * @param go Makes bubblewrap start the command.
 */
export function holdBack(told: readonly ToldMount[], status: number, go: () => void): HeldCommand {
	let waitsFor = 2;
	let checked: CheckedSandbox | undefined;
	const pass = (): void => {
		waitsFor -= 1;
		if (waitsFor === 0) go();
	};
	const check: Watch = (_, end) => {
		const { stop } = checkOnceSetUp(told, status, (found) => {
			if ("problem" in found) end(`${found.problem}, so the command did not run.`);
			else {
				checked = found;
				pass();
			}
		});
		return stop;
	};
	return { check, findInit: () => checked?.init, release: pass };
}

/** Calls `done` once. `look` looks at once. */
export function checkOnceSetUp(
	told: readonly ToldMount[],
	status: number,
	done: (found: CheckedSandbox | { readonly problem: string }) => void,
): { readonly look: () => void; readonly stop: () => void } {
	const deadline = performance.now() + SET_UP_MS;
	let timer: NodeJS.Timeout | undefined;
	const stop = (): void => {
		clearInterval(timer);
		timer = undefined;
	};
	const look = (): void => {
		const found = timer && (checkMounts(told, status) ?? (performance.now() > deadline ? LATE : undefined));
		if (found === undefined) return;
		stop();
		done(found);
	};
	timer = setInterval(look, LOOK_MS);
	timer.unref();
	return { look, stop };
}

const LATE = { problem: "The sandbox was not set up in time" };

/** Undefined until it is set up. */
function checkMounts(
	told: readonly ToldMount[],
	status: number,
): CheckedSandbox | { readonly problem: string } | undefined {
	const init = readInitPid(status);
	const mounts = init === undefined ? undefined : readMounts(init);
	if (init === undefined || mounts === undefined) return undefined;
	const own = readFileSync(OWN_MOUNTS, "utf8");
	const wrong = findWrongMount(told, readMountinfo(own), readMountinfo(mounts));
	if (wrong !== undefined) return { problem: `${wrong} was replaced while the sandbox was set up` };
	return { init, isUnchanged: () => readMounts(init) === mounts && readFileSync(OWN_MOUNTS, "utf8") === own };
}

const OWN_MOUNTS = "/proc/self/mountinfo";

/** The mounts of a sandbox, as the kernel lists them, once they are complete: bubblewrap gives up its capabilities then, with which it makes them. */
function readMounts(init: number): string | undefined {
	try {
		if (!/^CapEff:\s*0+$/m.test(readFileSync(`/proc/${init}/status`, "utf8"))) return undefined;
		return readFileSync(`/proc/${init}/mountinfo`, "utf8");
	} catch {
		// It has ended.
		return undefined;
	}
}
