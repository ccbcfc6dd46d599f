import type { ProcessBound } from "../../protocol/events.ts";
import type { ContainedProcess } from "../launch.ts";
import type { Cgroups } from "../linux/start/cgroups.ts";
import { whenInit } from "../linux/start/status.ts";
import type { Prepared } from "./prepare.ts";

/** The bound on a command's processes. */
export interface CountedProcesses {
	/** The one that really holds. */
	readonly bound: () => ProcessBound;
	/** Resolves when a command that waits is counted; where that fails it goes on, and `bound` says so. */
	readonly whenCounted: (child: ContainedProcess, status: number) => Promise<void>;
	/** To be called when it is over. Says in a sentence that the bound was met. */
	readonly end: () => readonly string[];
}

export function countProcesses({ bound, policy }: Prepared, cgroups: Cgroups | undefined): CountedProcesses {
	const { processes } = policy.limits;
	const group = bound === "cgroup" ? cgroups?.make(processes) : undefined;
	let held: ProcessBound = bound === "cgroup" ? "pidNamespace" : bound;
	return {
		bound: () => held,
		whenCounted: async (child, status) => {
			if (group === undefined) return;
			const pid = await whenInit(child, status);
			if (pid !== undefined && group.take(pid)) held = "cgroup";
		},
		end: () => (group?.remove() ? [`It met its limit of ${processes} processes.`] : []),
	};
}
