import * as z from "zod";
import { defineTool } from "./tool.ts";

export const recall = defineTool({
	name: "recall",
	description:
		"Read turns of this conversation again that a compaction dropped. With a query: the places that hold this text. With a turnId: what was said and done in that turn. With neither: a list of the dropped turns. Long results come in pages; `from` goes on where one ended.",
	needs: "none",
	input: z.object({
		query: z.string().min(1).max(1_000).optional().describe("Text to find, letters of either case"),
		turnId: z.string().min(1).max(64).optional(),
		from: z.int().min(1).default(1),
	}),
	title: ({ query, turnId }) =>
		query !== undefined ? `Recall “${query}”` : turnId !== undefined ? "Recall a turn" : "Recall dropped turns",
	access: () => ({ kind: "none" }),
	run: (request, _, ports, signal) => ports.recall(request, signal),
});
