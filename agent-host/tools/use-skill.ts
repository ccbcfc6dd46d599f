import * as z from "zod";
import { say } from "../protocol/say.ts";
import { defineTool } from "./tool.ts";

export const useSkill = defineTool({
	name: "use_skill",
	description: "Read a skill: instructions for a kind of task. With file: one of its files.",
	needs: "none",
	input: z.object({
		name: z.string().min(1).max(200),
		arguments: z.string().max(10_000).default(""),
		file: z.string().min(1).max(1_000).optional().describe("Path in the skill's folder"),
	}),
	title: ({ name, file }) =>
		file === undefined ? say("call-skill", { name }) : say("call-skill-file", { name, file }),
	// It reads nothing but what the user agreed to.
	access: () => ({ kind: "none" }),
	async run({ name, arguments: given, file }, _, ports) {
		return ports.useSkill({ name, given, file });
	},
});
