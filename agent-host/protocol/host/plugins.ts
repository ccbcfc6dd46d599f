import * as z from "zod";
import { defineMethod } from "../method.ts";

const Lines = z.array(z.string());

/** A plugin, and everything that it brings along. */
export const ListedPlugin = z.object({
	name: z.string(),
	version: z.string(),
	about: z.string(),
	folder: z.string(),
	/** Identifies everything in its folder. */
	digest: z.string(),
	skills: Lines,
	commands: Lines,
	/** Roles of sub-agents. */
	agents: Lines,
	hooks: Lines,
	servers: Lines,
	/** Estimated tokens that it adds to every request, without the tools of its servers. */
	tokens: z.int(),
	/** Of a folder that would replace an installed plugin: what would change in its files. */
	changes: z.string().optional(),
	/** What of it is not used, and why; one sentence each. */
	problems: Lines,
});
export type ListedPlugin = z.infer<typeof ListedPlugin>;

const folder = z.string().min(1).max(4_096);

export const pluginList = defineMethod("plugin/list", "The installed plugins, and those that are no longer usable.", {
	params: z.object({}),
	result: z.object({
		plugins: z.array(ListedPlugin),
		/** Copies of which nothing is used, with the reason in one sentence. */
		unusable: z.array(z.object({ digest: z.string(), problem: z.string() })),
	}),
});

export const pluginInspect = defineMethod(
	"plugin/inspect",
	"What a folder would bring along as a plugin. Runs and changes nothing.",
	{ params: z.object({ folder }), result: ListedPlugin },
);

export const pluginInstall = defineMethod(
	"plugin/install",
	"Copies a folder as a plugin, if it still has the digest that the user agreed to.",
	{ params: z.object({ folder, digest: z.string() }), result: ListedPlugin },
);

export const pluginRemove = defineMethod("plugin/remove", "Removes a plugin, its copy and the user's answer.", {
	/** The name of a plugin, or the digest of one that is not usable. */
	params: z.object({ name: z.string().min(1).max(64) }),
	result: z.object({}),
});
