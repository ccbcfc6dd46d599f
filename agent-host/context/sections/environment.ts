import * as z from "zod";
import type { Policy } from "../../permissions/policy/policy.ts";
import { mayRun } from "../../permissions/reach/may-run.ts";
import { writableRoots } from "../../permissions/reach/reach.ts";
import { environment as fragment } from "../fragments/environment.ts";
import { changedFields, defineSection } from "../section.ts";

const Snapshot = z.object({
	cwd: z.string().nullable(),
	shell: z.string(),
	roots: z.array(z.string()),
	environment: z.enum(["local", "remote", "container"]),
	machine: z.string(),
	date: z.string(),
	timeZone: z.string(),
	/** Absent in snapshots of older releases. */
	language: z.string().nullable().default(null),
	branch: z.string().nullable(),
	trusted: z.boolean(),
	approval: z.string(),
	sandbox: z.string(),
	network: z.string(),
	writableRoots: z.array(z.string()),
});
type Snapshot = z.infer<typeof Snapshot>;

/** States the environment once, then only the fields that changed. */
export const environment = defineSection<Snapshot>({
	id: "environment",
	kinds: [fragment.kind],
	snapshot: Snapshot,
	observe: ({ workspace, policy: { value } }) => ({
		cwd: workspace.cwd ?? null,
		shell: workspace.shell,
		roots: [...workspace.roots],
		environment: workspace.environment,
		machine: workspace.machine,
		date: workspace.date,
		timeZone: workspace.timeZone,
		language: workspace.language ?? null,
		branch: workspace.branch ?? null,
		trusted: workspace.trusted,
		approval: value.approval,
		sandbox: value.noSandbox === undefined ? value.mode : "none",
		network: networkFor(value),
		writableRoots: [...writableRoots(value)],
	}),
	render: (previous, current) =>
		previous.state === "known"
			? fragment.of({ facts: changedFields(previous.value, current), changed: true })
			: fragment.of({ facts: current, changed: false }),
});

/** What commands can use; where nothing contains them, all of it. */
function networkFor(policy: Policy): string {
	if (policy.noSandbox !== undefined && mayRun(policy)) return "on";
	return policy.network.kind === "allow" ? "allowList" : policy.network.kind;
}
