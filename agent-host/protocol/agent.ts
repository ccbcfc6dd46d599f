import * as z from "zod";
import { ThreadId, TurnId } from "./ids.ts";

/** How the model names a sub-agent: unique among those of its thread. */
export const AgentName = z
	.string()
	.regex(/^[a-z][a-z0-9-]{0,31}$/, "must be 1 to 32 lower-case letters, digits and hyphens, and begin with a letter");

/** The roles that need no file. */
export const BUILT_IN_ROLES = ["explore", "implement", "review"] as const;

/** The sub-agent that a thread belongs to. */
export const AgentOrigin = z.object({
	/** The thread that started it. */
	parent: ThreadId,
	name: AgentName,
	role: z.string().min(1).max(64),
});
export type AgentOrigin = z.infer<typeof AgentOrigin>;

/** The same with what its role asks of it, frozen with its thread. */
export const AgentHeader = AgentOrigin.extend({
	instructions: z.string(),
	/** It changes no files, whatever its parent may do. */
	readsOnly: z.boolean(),
	/** All that it is offered of its parent's tools; absent if its role names none. */
	tools: z.array(z.string().max(100)).max(100).optional(),
	/** 2 if a sub-agent has started it. */
	depth: z.int().min(1).max(2).default(1),
});
export type AgentHeader = z.infer<typeof AgentHeader>;

export const AgentState = z.enum(["running", "completed", "failed", "interrupted"]);
export type AgentState = z.infer<typeof AgentState>;

/** A sub-agent as the thread that started it knows it. */
export const AgentReport = z.object({
	/** Its own thread. */
	threadId: ThreadId,
	/** The call that started it. */
	callId: z.string(),
	name: AgentName,
	role: z.string().min(1).max(64),
	state: AgentState,
	/** The turn of its thread in which it goes on after an end. Absent for its first task. */
	turnId: TurnId.optional(),
	/** The beginning of its last message, or why it failed. Absent while it runs. */
	summary: z.string().optional(),
	/** The number of files that it changed. Absent if it changed none. */
	changedFiles: z.int().min(1).optional(),
});
export type AgentReport = z.infer<typeof AgentReport>;

/** The part of a header that others are told: who asks. */
export function pickOrigin({ parent, name, role }: AgentOrigin): AgentOrigin {
	return { parent, name, role };
}

/** The threads of the sub-agents of a thread, and of theirs: each after the one that started it. */
export function agentsBelow(
	threads: readonly { readonly threadId: ThreadId; readonly agent?: AgentOrigin | undefined }[],
	threadId: ThreadId,
): readonly ThreadId[] {
	const found = [threadId];
	// Grows while it is walked. A thread that is found already is not taken again, whatever a damaged file says.
	for (const parent of found) {
		for (const thread of threads)
			if (thread.agent?.parent === parent && !found.includes(thread.threadId)) found.push(thread.threadId);
	}
	return found.slice(1);
}
