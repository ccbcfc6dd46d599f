import * as z from "zod";
import { ThreadId } from "../ids.ts";
import { MAX_ASIDE_CHARS } from "../limits.ts";
import { defineMethod } from "../method.ts";

/** Longest diff that a commit message is written for. */
export const MAX_DIFF_CHARS = 60_000;
const MAX_SUBJECTS = 20;
const MAX_SUBJECT_CHARS = 200;

export const threadAsk = defineMethod(
	"thread/ask",
	"Answers a side question from what the thread contains, also while a turn runs. No tools are offered, nothing is recorded in the thread, and later requests do not contain it; what it costs counts for the day, and for the running turn.",
	{
		params: z.object({ threadId: ThreadId, text: z.string().trim().min(1).max(MAX_ASIDE_CHARS) }),
		result: z.object({
			text: z.string(),
			model: z.string(),
			tokens: z.int(),
			/** In the currency of the price; absent if no price is known. */
			cost: z.number().optional(),
		}),
	},
);

export const commitMessage = defineMethod(
	"commit/message",
	"Writes a commit message for a diff, with the model of the thread, or of a new one. Nothing is recorded.",
	{
		params: z.object({
			threadId: ThreadId.optional(),
			diff: z.string().min(1).max(MAX_DIFF_CHARS),
			/** Subjects of the newest commits, as a sample of the style. */
			subjects: z.array(z.string().max(MAX_SUBJECT_CHARS)).max(MAX_SUBJECTS),
		}),
		result: z.object({ text: z.string() }),
	},
);
