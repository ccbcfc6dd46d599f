import * as z from "zod";
import { type EnvironmentFacts, environment as fragment } from "../fragments/environment.ts";
import { defineSection } from "../section.ts";

const Snapshot = z.object({
	cwd: z.string().nullable(),
	roots: z.array(z.string()),
	machine: z.string(),
	date: z.string(),
	timeZone: z.string(),
	trusted: z.boolean(),
});
type Snapshot = z.infer<typeof Snapshot>;

/** States the environment once, then only the fields that changed. */
export const environment = defineSection<Snapshot>({
	id: "environment",
	snapshot: Snapshot,
	observe: ({ workspace }) => ({
		cwd: workspace.cwd ?? null,
		roots: [...workspace.roots],
		machine: workspace.machine,
		date: workspace.date,
		timeZone: workspace.timeZone,
		trusted: workspace.trusted,
	}),
	render: (previous, current) =>
		previous.state === "known"
			? fragment.of({ facts: changedFields(previous.value, current), changed: true })
			: fragment.of({ facts: current, changed: false }),
});

function changedFields(before: Snapshot, now: Snapshot): EnvironmentFacts {
	const changed = Object.entries(now).filter(
		([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key as keyof Snapshot]),
	);
	return Object.fromEntries(changed);
}
