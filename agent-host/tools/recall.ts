import * as z from "zod";
import { defineTool } from "./tool.ts";

export const recall = defineTool({
	name: "recall",
	description:
		"Read turns of this conversation that compaction dropped. With query: search their text. With turnId: the whole turn. With neither: a list of the dropped turns. Long results are paged; use `from` to continue.",
	needs: "none",
	input: z.object({
		query: z.string().min(1).max(1_000).optional().describe("Text to find, case-insensitive"),
		turnId: z.string().min(1).max(64).optional(),
		from: z.int().min(1).default(1),
	}),
	title: ({ query, turnId }) =>
		query !== undefined ? `Recall “${query}”` : turnId !== undefined ? "Recall a turn" : "Recall dropped turns",
	access: () => ({ kind: "none" }),
	run: (request, _, ports, signal) => ports.recall(request, signal),
});
