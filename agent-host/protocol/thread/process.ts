import * as z from "zod";
import { ThreadId } from "../ids.ts";
import { defineMethod, defineNotification } from "../method.ts";
import { SaidFields } from "../say.ts";

/** A command that runs in the background. */
export const BackgroundProcess = z.object({
	threadId: ThreadId,
	processId: z.string(),
	/** The command line, shortened to one line. */
	command: z.string(),
	/** Milliseconds since 1970. */
	startedAt: z.number(),
	/** Everything it has written so far, including bytes that were not kept. */
	outputBytes: z.number(),
	/** The sandbox in a few words. */
	sandbox: z.string(),
	sandboxSaid: SaidFields.optional(),
});
export type BackgroundProcess = z.infer<typeof BackgroundProcess>;

const named = { threadId: ThreadId, processId: z.string().max(100) };

export const processList = defineMethod("process/list", "The background commands of this host, oldest first.", {
	params: z.object({}),
	result: z.object({ processes: z.array(BackgroundProcess) }),
});

export const processTail = defineMethod(
	"process/tail",
	"The end of a background command's output. Does not affect what the model will read.",
	{
		params: z.object({ ...named, chars: z.int().min(1).max(1_000_000).default(100_000) }),
		result: z.object({ text: z.string(), running: z.boolean() }),
	},
);

export const processStop = defineMethod(
	"process/stop",
	"Stops a background command and all its child processes. Replies when it has ended.",
	{ params: z.object(named), result: z.object({ stopped: z.boolean() }) },
);

export const processBackground = defineMethod(
	"process/background",
	"Moves a command that its turn waits for to the background, so that the turn continues without it.",
	{
		params: z.object({ threadId: ThreadId, callId: z.string().max(1_000) }),
		result: z.object({
			/** False if the turn waits for no such command. */
			moved: z.boolean(),
			/** Why it could not be moved. */
			reason: z.string().optional(),
		}),
	},
);

export const processesChanged = defineNotification(
	"process/changed",
	"A command started running in the background, or a background command has ended.",
	z.object({}),
);
