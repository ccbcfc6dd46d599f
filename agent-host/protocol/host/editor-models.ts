import * as z from "zod";
import { defineMethod, defineNotification } from "../method.ts";
import { ImageType } from "../thread/image.ts";

/** One of the editor's own models, as the editor describes it. */
export const EditorModel = z.object({
	id: z.string(),
	name: z.string(),
	vendor: z.string(),
	/** Size of its context window in tokens; 0 if the editor does not say. */
	window: z.number(),
});
export type EditorModel = z.infer<typeof EditorModel>;

/** A piece of a message. Editor models support only these two roles, and no reasoning. */
export const EditorContent = z.discriminatedUnion("kind", [
	z.object({ kind: z.literal("text"), text: z.string() }),
	z.object({
		kind: z.literal("toolCall"),
		callId: z.string(),
		name: z.string(),
		input: z.record(z.string(), z.unknown()),
	}),
	z.object({ kind: z.literal("image"), mediaType: ImageType, data: z.string() }),
	z.object({ kind: z.literal("toolResult"), callId: z.string(), text: z.string() }),
]);
export type EditorContent = z.infer<typeof EditorContent>;

export const EditorMessage = z.object({ role: z.enum(["user", "assistant"]), content: z.array(EditorContent) });
export type EditorMessage = z.infer<typeof EditorMessage>;

/** A piece of an editor model's answer. Calls arrive whole. */
export const EditorPart = z.discriminatedUnion("kind", [
	z.object({ kind: z.literal("text"), text: z.string() }),
	z.object({ kind: z.literal("toolCall"), callId: z.string(), name: z.string(), input: z.unknown().optional() }),
]);
export type EditorPart = z.infer<typeof EditorPart>;

/** How an answer ended: complete, or why not. */
export const EditorEnd = z.discriminatedUnion("status", [
	z.object({ status: z.literal("completed") }),
	z.object({
		status: z.literal("failed"),
		code: z.enum(["no-consent", "not-found", "quota", "rate-limit", "too-long", "cancelled", "unavailable", "other"]),
		message: z.string(),
	}),
]);
export type EditorEnd = z.infer<typeof EditorEnd>;

export const editorModelList = defineMethod("editorModel/list", "The editor's available models.", {
	params: z.object({}),
	result: z.object({ models: z.array(EditorModel) }),
});

export const editorModelStream = defineMethod(
	"editorModel/stream",
	"Sends a request to an editor model. Parts of the answer arrive as `editorModel/part`; the reply ends them. Cancelled by `$/cancelRequest`.",
	{
		params: z.object({
			streamId: z.string(),
			model: z.string(),
			messages: z.array(EditorMessage),
			tools: z.array(
				z.object({ name: z.string(), description: z.string(), inputSchema: z.record(z.string(), z.unknown()) }),
			),
		}),
		result: EditorEnd,
	},
);

export const editorModelCountTokens = defineMethod(
	"editorModel/countTokens",
	"The number of tokens in a text, as the model counts them.",
	{
		params: z.object({ model: z.string(), text: z.string() }),
		result: z.object({ tokens: z.number() }),
	},
);

export const editorModelPart = defineNotification(
	"editorModel/part",
	"A part of the answer identified by `streamId`.",
	z.object({ streamId: z.string(), part: EditorPart }),
);
