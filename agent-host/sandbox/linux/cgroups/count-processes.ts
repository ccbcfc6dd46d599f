import type { ProcessBound } from "../../../protocol/thread/item.ts";
import type { Prepared } from "../prepare.ts";
import type { Cgroups, CommandGroup } from "./cgroups.ts";

/** The bound on a command's processes. */
export interface CountedProcesses extends Pick<CommandGroup, "start"> {
	/** The one that holds. */
	readonly bound: ProcessBound;
	/** To be called when it is over. Says in a sentence that the bound was met. */
	readonly end: () => readonly string[];
}

export function countProcesses({ bound, policy }: Prepared, cgroups: Cgroups | undefined): CountedProcesses {
	const { processes } = policy.limits;
	const group = bound === "cgroup" ? cgroups?.make(processes) : undefined;
	if (group === undefined) {
		return { bound: bound === "cgroup" ? "pidNamespace" : bound, start: (spawn) => spawn([]), end: () => [] };
	}
	const end = () => (group.remove() ? [`It reached its limit of ${processes} processes.`] : []);
	return { bound, start: group.start, end };
}
