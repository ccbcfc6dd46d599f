import * as z from "zod";
import { say } from "../protocol/say.ts";
import { defineTool } from "./tool.ts";

export const recall = defineTool({
	name: "recall",
	description: "Turns that compaction dropped: list them, search them (query) or read one (turnId).",
	needs: "none",
	input: z.object({
		query: z.string().min(1).max(1_000).optional(),
		turnId: z.string().min(1).max(64).optional(),
		from: z.int().min(1).default(1),
	}),
	title: ({ query, turnId }) =>
		query === undefined
			? say(turnId === undefined ? "call-recall-list" : "call-recall-turn")
			: say("call-recall", { query }),
	access: () => ({ kind: "none" }),
	run: (request, _, ports, signal) => ports.recall(request, signal),
});
