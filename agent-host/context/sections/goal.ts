import * as z from "zod";
import { goal as fragment } from "../fragments/goal.ts";
import { defineSection } from "../section.ts";

const Snapshot = z.object({ text: z.string(), check: z.string().optional(), turns: z.number() }).nullable();

/** Stated when it is set, when another one is set, and when it is over. */
export const goal = defineSection({
	id: "goal",
	kinds: [fragment.kind],
	snapshot: Snapshot,
	observe: ({ modes }) => modes.goal ?? null,
	render: (previous, current) =>
		previous.state === "absent" && current === null ? undefined : fragment.of({ goal: current }),
});
