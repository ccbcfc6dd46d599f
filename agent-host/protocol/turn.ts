import * as z from "zod";
import { ThreadId, TurnId } from "./ids.ts";
import { defineMethod } from "./method.ts";
import { PartialSettings } from "./settings.ts";

/** Longest prompt in characters. A longer text belongs in a file that the agent can read piece by piece. */
export const MAX_INPUT_CHARS = 1_000_000;

export const UserInput = z.discriminatedUnion("kind", [z.object({ kind: z.literal("text"), text: z.string() })]);
export type UserInput = z.infer<typeof UserInput>;

export const turnStart = defineMethod(
	"turn/start",
	"Starts a turn. Replies when the envelope and the input are durable; progress arrives as `thread/event`.",
	{
		params: z.object({
			threadId: ThreadId,
			input: z.array(UserInput).min(1).max(100),
			/** For this turn only. */
			overrides: z.object({ cwd: z.string().optional(), settings: PartialSettings.optional() }).optional(),
			/** Workspace trust as the editor sees it now; it may have changed without a notification. */
			trusted: z.boolean().optional(),
		}),
		result: z.object({ turnId: TurnId }),
	},
);

export const turnInterrupt = defineMethod(
	"turn/interrupt",
	"Stops the running turn. Replies when it has ended; with no turn running it replies at once.",
	{ params: z.object({ threadId: ThreadId }), result: z.object({}) },
);
