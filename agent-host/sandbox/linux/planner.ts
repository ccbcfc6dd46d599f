import { isDeepStrictEqual } from "node:util";
import type { Policy } from "../../permissions/policy.ts";
import { type DiskFacts, type LayoutOutcome, planLayout } from "./layout.ts";

/** Plans as `planLayout` does. From one command to the next mostly nothing has changed, and then neither has the plan. */
export function createPlanner(): typeof planLayout {
	let last: { readonly from: readonly [Policy, DiskFacts]; readonly planned: LayoutOutcome } | undefined;
	return (...from) => {
		if (last === undefined || !isDeepStrictEqual(last.from, from)) last = { from, planned: planLayout(...from) };
		return last.planned;
	};
}
