import { readFileSync } from "node:fs";
import { readStatus } from "../command/read-status.ts";
import { type ContainedProcess, killGroup } from "../launch.ts";

/**
 * How long, and how often, we look for the first process of a command that is stopped while it starts. On a busy
 * machine that takes a while.
 */
const LOOK_FOR_MS = 5_000;
const LOOK_MS = 2;

/**
 * Ends the sandbox's first process, and the kernel ends all others with it. Ending bubblewrap alone does the same,
 * except between the start of that process and its request to die with its parent: so bubblewrap lives until it has
 * reported the process.
 */
export function endSandbox(child: ContainedProcess, status: number): void {
	if (isOver(child)) {
		killInit(status);
		return;
	}
	// Once more: bubblewrap may have reported it while we ended it.
	child.once("exit", () => killInit(status));
	endSoon(child, status, performance.now() + LOOK_FOR_MS);
}

function endSoon(child: ContainedProcess, status: number, deadline: number): void {
	if (isOver(child)) return;
	if (performance.now() < deadline && child.pid !== undefined && readInitPid(status) === undefined) {
		setTimeout(endSoon, LOOK_MS, child, status, deadline);
		return;
	}
	killInit(status);
	killGroup(child);
}

function isOver({ exitCode, signalCode }: ContainedProcess): boolean {
	return exitCode !== null || signalCode !== null;
}

/** The sandbox's first process, once bubblewrap has reported it. */
export function readInitPid(status: number): number | undefined {
	const pid = Number(/"child-pid"\s*:\s*(\d+)/.exec(readStatus(status))?.[1] ?? 0);
	return pid > 1 ? pid : undefined;
}

function killInit(status: number): void {
	const pid = readInitPid(status);
	try {
		// Make sure that this is still bubblewrap, not a later process with the same id.
		if (pid !== undefined && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("bwrap\0--args\0"))
			process.kill(pid, "SIGKILL");
	} catch {
		// Already gone.
	}
}
