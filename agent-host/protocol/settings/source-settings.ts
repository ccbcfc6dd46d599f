import * as z from "zod";

const MAX_OFF = 200;

/**
 * Where something that people bring along comes from: a server by name, a folder of skills, a plugin by name, a file of
 * hooks, a folder of agent files.
 */
export const Source = z.object({
	kind: z.enum(["server", "skills", "plugin", "hooks", "agents"]),
	/** A name, or an absolute path. */
	name: z.string().min(1).max(4_096),
});
export type Source = z.infer<typeof Source>;

/** What a thread does without. It can only take away. */
export const SourceSettings = z.object({ off: z.array(Source).max(MAX_OFF).default([]) });
