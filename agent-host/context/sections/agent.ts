import * as z from "zod";
import { agentRole } from "../fragments/agent-role.ts";
import { defineSection } from "../section.ts";

const Snapshot = z.object({ name: z.string(), role: z.string(), instructions: z.string() });

/** Stated in the thread of a sub-agent only. */
export const agent = defineSection({
	id: "agent",
	kinds: [agentRole.kind],
	snapshot: Snapshot,
	observe: ({ identity: { agent } }) =>
		agent && { name: agent.name, role: agent.role, instructions: agent.instructions },
	render: (_, current) => agentRole.of(current),
});
