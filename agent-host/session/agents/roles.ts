import type { AgentHeader, BUILT_IN_ROLES } from "../../protocol/agent.ts";
import type { ReasoningEffort } from "../../protocol/settings/model-values.ts";

/** What a role asks of a sub-agent. */
export interface AgentRole extends Pick<AgentHeader, "instructions" | "readsOnly" | "tools"> {
	readonly model?: string | undefined;
	readonly effort?: ReasoningEffort | undefined;
	/** How many requests one task takes at most. */
	readonly maxTurns?: number | undefined;
}

export const ROLES: Readonly<Record<(typeof BUILT_IN_ROLES)[number], AgentRole>> = {
	explore: {
		instructions: "Role: explore. Find out what was asked by reading and searching. Change nothing.",
		readsOnly: true,
	},
	implement: {
		instructions:
			"Role: implement. Make the change that was asked for, and check it. Read a file right before you change it: others may have changed it. If a patch is refused because a file has changed, read it again and adapt; never undo what others did.",
		readsOnly: false,
	},
	review: {
		instructions:
			"Role: review. Look for mistakes in what was named: wrong results, missed cases, missing tests, risks. Report each with its path, line and consequence, the worst first. Change nothing.",
		readsOnly: true,
	},
};
