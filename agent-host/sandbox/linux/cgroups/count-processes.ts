import type { ProcessBound } from "../../../protocol/thread/item.ts";
import type { Prepared } from "../prepare.ts";
import type { Cgroups, CommandGroup } from "./cgroups.ts";

/** The limit on a command's processes. */
export interface CountedProcesses extends Partial<Pick<CommandGroup, "join">> {
	/** The effective one. */
	readonly bound: ProcessBound;
	/** Call when the command is over. Returns a sentence if the limit was reached. */
	readonly end: () => readonly string[];
}

export function countProcesses({ bound, policy }: Prepared, cgroups: Cgroups | undefined): CountedProcesses {
	const { processes } = policy.limits;
	const group = bound === "cgroup" ? cgroups?.make(processes) : undefined;
	if (group === undefined) return { bound: bound === "cgroup" ? "pidNamespace" : bound, end: () => [] };
	const end = () => (group.remove() ? [`It reached its limit of ${processes} processes.`] : []);
	return { bound, join: group.join, end };
}
