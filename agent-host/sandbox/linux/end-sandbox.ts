import { readFileSync } from "node:fs";
import { readStatus } from "../command/read-status.ts";
import { type ContainedProcess, killGroup } from "../launch.ts";

/** How long, and how soon again, a command that is stopped while it starts is asked for its first process. On a busy machine that takes a while. */
const LOOK_FOR_MS = 5_000;
const LOOK_MS = 2;

/**
 * Ends the sandbox's first process, and the kernel ends all others with it. Ending bubblewrap alone does the same, except
 * in the moment between the start of that process and its wish to die with its parent: so bubblewrap lives until it has
 * said which process that is.
 */
export function endSandbox(child: ContainedProcess, status: number): void {
	if (isOver(child)) {
		killInit(status);
		return;
	}
	// Once more: bubblewrap may have said it while we ended it.
	child.once("exit", () => killInit(status));
	endSoon(child, status, performance.now() + LOOK_FOR_MS);
}

function endSoon(child: ContainedProcess, status: number, deadline: number): void {
	if (isOver(child)) return;
	if (performance.now() < deadline && child.pid !== undefined && initOf(status) === undefined) {
		setTimeout(endSoon, LOOK_MS, child, status, deadline);
		return;
	}
	killInit(status);
	killGroup(child);
}

function isOver({ exitCode, signalCode }: ContainedProcess): boolean {
	return exitCode !== null || signalCode !== null;
}

/** The sandbox's first process, once bubblewrap has said which that is. */
export function initOf(status: number): number | undefined {
	const pid = Number(/"child-pid"\s*:\s*(\d+)/.exec(readStatus(status))?.[1] ?? 0);
	return pid > 1 ? pid : undefined;
}

function killInit(status: number): void {
	const pid = initOf(status);
	try {
		// Still bubblewrap itself, not a later process with the same number.
		if (pid !== undefined && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("bwrap\0--args\0"))
			process.kill(pid, "SIGKILL");
	} catch {
		// Gone already.
	}
}
