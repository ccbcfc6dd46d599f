import * as z from "zod";
import { defineMethod } from "../method.ts";

/** The tools that other agents of the editor may use: they read, and need no approval. Names as the model knows them. */
export const LentTool = z.enum(["read_file", "list_files", "search_files"]);
export type LentTool = z.infer<typeof LentTool>;

/** More than any of these tools takes. */
const MAX_ARGUMENT_CHARS = 20_000;

export const toolLend = defineMethod(
	"tool/lend",
	"Runs a reading tool for another agent of the editor, under the permissions that a new thread would have now. What needs an approval is refused; nothing is recorded.",
	{
		params: z.object({
			tool: LentTool,
			/** JSON, as a model would write it. */
			arguments: z.string().max(MAX_ARGUMENT_CHARS),
		}),
		result: z.object({
			ok: z.boolean(),
			/** What was found, or why nothing was. */
			text: z.string(),
		}),
	},
);
