import * as z from "zod";
import { ClientId, ThreadId, TurnId } from "../ids.ts";
import { defineMethod } from "../method.ts";
import { ClientSettings } from "../settings/client-settings.ts";
import { AttachedInput, Path } from "./attached.ts";
import { GoalRequest } from "./goal.ts";

/** Longest command that a user can run. */
export const MAX_SHELL_CHARS = 100_000;

/** Most parts of one message. */
export const MAX_INPUTS = 100;

const MAX_SKILL_ARGUMENT_CHARS = 10_000;

/** Text and attachments: all that can be sent to a running turn. */
export const PromptInput = z.discriminatedUnion("kind", [
	z.object({ kind: z.literal("text"), text: z.string() }),
	/**
	 * An image as base64, or a file in the workspace; read once, when the turn starts. Its type is determined by its
	 * bytes, not by `mediaType`.
	 */
	z
		.object({
			kind: z.literal("image"),
			data: z.base64().optional(),
			path: Path.optional(),
			mediaType: z.string().optional(),
		})
		.refine(({ data, path }) => (data === undefined) !== (path === undefined), "An image needs either data or a path."),
	...AttachedInput.options,
	/** A skill whose text the model gets with the prompt. */
	z.object({
		kind: z.literal("skill"),
		name: z.string().min(1).max(200),
		arguments: z.string().max(MAX_SKILL_ARGUMENT_CHARS).optional(),
	}),
]);

export type PromptInput = z.infer<typeof PromptInput>;

/** The input of a turn: the prompt and the attached editor context. */
export const UserInput = z.discriminatedUnion("kind", [
	...PromptInput.options,
	/**
	 * A user's command, alone in its turn: it runs in the sandbox, no model is asked, and the next request includes the
	 * result.
	 */
	z.object({ kind: z.literal("shell"), command: z.string().min(1).max(MAX_SHELL_CHARS) }),
]);
export type UserInput = z.infer<typeof UserInput>;

export const turnStart = defineMethod(
	"turn/start",
	"Starts a turn. Replies when the envelope and the input are durable; progress arrives as `thread/event`. If sent again with the `clientId` of the newest turn, starts nothing and returns that turn.",
	{
		params: z.object({
			threadId: ThreadId,
			input: z.array(UserInput).min(1).max(MAX_INPUTS),
			clientId: ClientId.optional(),
			/** The newest turn, if it did not finish and this is its prompt again: then the model reads the prompt once. */
			repeats: TurnId.optional(),
			/** For this turn only. */
			overrides: z
				.object({
					cwd: z.string().optional(),
					settings: ClientSettings.optional(),
					/** JSON schema of the answer, for models that support one. */
					outputSchema: z.record(z.string(), z.json()).optional(),
				})
				.optional(),
			/** Pursues the prompt as the goal of the thread, over as many turns as it takes. */
			goal: GoalRequest.optional(),
			/** Current workspace trust in the editor; it may have changed without a notification. */
			trusted: z.boolean().optional(),
		}),
		result: z.object({ turnId: TurnId }),
	},
);

export const turnSteer = defineMethod(
	"turn/steer",
	"Steers the running turn with a message. Replies when the message and its attachments are durable; the model reads it with the turn's next request, never between a call and its result. Refused if that turn is not running, or only compacts.",
	{
		params: z.object({
			threadId: ThreadId,
			turnId: TurnId,
			input: z.array(PromptInput).min(1).max(MAX_INPUTS),
			clientId: ClientId.optional(),
		}),
		result: z.object({ accepted: z.literal(true) }),
	},
);

export const turnInterrupt = defineMethod(
	"turn/interrupt",
	"Stops the running turn. Replies when it has ended; immediately if no turn is running.",
	{ params: z.object({ threadId: ThreadId }), result: z.object({}) },
);
