import * as z from "zod";
import { Limits } from "../../protocol/settings/settings.ts";
import { budget as fragment } from "../fragments/budget.ts";
import { defineSection } from "../section.ts";

const Snapshot = z.object({
	limits: z.object({ turn: Limits, thread: Limits, day: Limits }),
	percentLeft: z.number().nullable(),
});

/** Percentages at which the remaining budget is stated again. */
const THRESHOLDS = [100, 75, 50, 25, 10, 5, 0];

/** Stated when a limit is set or changed, and as the thread's tokens run out. */
export const budget = defineSection({
	id: "budget",
	kinds: [fragment.kind],
	snapshot: Snapshot,
	observe: ({ identity, telemetry }) => {
		const { turn, thread, day } = identity.limits;
		const left = thread.tokens === undefined ? null : 100 - (100 * telemetry.usageAtStart.total) / thread.tokens;
		return {
			limits: { turn: { ...turn }, thread: { ...thread }, day: { ...day } },
			percentLeft: left === null ? null : (THRESHOLDS.findLast((threshold) => threshold >= left) ?? 100),
		};
	},
	render: (previous, current) => {
		const isSet = Object.values(current.limits).some((limits) => Object.keys(limits).length > 0);
		return previous.state === "absent" && !isSet ? undefined : fragment.of(current);
	},
});
