import * as z from "zod";
import { ThreadId } from "../ids.ts";
import { MAX_QUERY_CHARS } from "../limits.ts";
import { defineMethod } from "../method.ts";
import { HostText } from "../say.ts";

export const fileFind = defineMethod(
	"file/find",
	"Fuzzy search for files and folders in the workspace, best first. Skips folders that are blocked for the thread and files excluded by .gitignore. While the workspace is listed for the first time, it answers from what was listed so far.",
	{
		params: z.object({
			threadId: ThreadId.optional(),
			query: z.string().max(MAX_QUERY_CHARS),
			limit: z.int().min(1).max(100).default(30),
			/** Whether to wait up to half a second for a list that is not whole yet. */
			wait: z.boolean().default(false),
		}),
		result: z.object({
			files: z.array(
				z.object({
					/** Relative to the thread's folder, or prefixed with the name of its workspace folder. */
					name: z.string(),
					path: z.string(),
					kind: z.enum(["file", "folder"]),
				}),
			),
			/** Whether the list of files was whole; if not, another request may find more. */
			isWhole: z.boolean(),
			/** Why not every file can be found, for example in a very large workspace. */
			cut: HostText.optional(),
		}),
	},
);
