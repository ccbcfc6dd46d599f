import * as z from "zod";
import type { Fragment } from "../context/fragment.ts";
import { ImageType } from "../protocol/thread/image.ts";

/** Came with the message before it. */
export const UserImage = z.object({
	kind: z.literal("userImage"),
	mediaType: ImageType,
	width: z.int().min(1),
	height: z.int().min(1),
	data: z.base64(),
});
export type UserImage = z.infer<typeof UserImage>;

/**
 * What a user message that a compaction kept is: the request that the task goes back to, one that was said in the
 * newest turn, both, or neither.
 */
export const MessageMark = z.object({ request: z.literal(true).optional(), asked: z.literal(true).optional() });
export type MessageMark = z.infer<typeof MessageMark>;

/** One entry of history: what the model is sent again with every request. Persisted: fields are never renamed. */
export const HistoryItem = z.discriminatedUnion("kind", [
	z.object({
		kind: z.literal("fragment"),
		fragment: z.string(),
		role: z.enum(["developer", "user"]),
		origin: z.string(),
		text: z.string(),
		/** The user's messages that stand in it word for word, when a compaction put them there, oldest first. */
		quotes: z.array(z.string()).optional(),
		/** What those messages are. Absent in older threads, where the first quote may be the request, whenever it was said. */
		marks: z.array(MessageMark).optional(),
	}),
	z.object({
		kind: z.literal("userMessage"),
		text: z.string(),
		/** Of a message that a compaction kept beside its quotes: how many of those were said before it, and what it is. */
		kept: MessageMark.extend({ after: z.int().min(0) }).optional(),
	}),
	UserImage,
	z.object({ kind: z.literal("agentMessage"), text: z.string(), cut: z.boolean().optional() }),
	/** Opaque to us: the provider's own reasoning, sent back as it came. */
	z.object({
		kind: z.literal("reasoning"),
		providerId: z.string(),
		summary: z.array(z.string()),
		encrypted: z.string().optional(),
		/** Who wrote it, and so who can read it again; absent in older threads. */
		source: z.string().optional(),
	}),
	/** Opaque to us: what a provider made of earlier turns, sent back as it came. */
	z.object({
		kind: z.literal("sealedSummary"),
		encrypted: z.string(),
		/** Who wrote it, and so who can read it again. */
		source: z.string(),
	}),
	z.object({
		kind: z.literal("toolCall"),
		callId: z.string(),
		name: z.string(),
		arguments: z.string(),
		/** It came as plain text, which is the one field of its arguments, and goes back as that. */
		freeForm: z.literal(true).optional(),
	}),
	z.object({ kind: z.literal("toolOutput"), callId: z.string(), output: z.string() }),
]);
export type HistoryItem = z.infer<typeof HistoryItem>;

export type ToolCall = Extract<HistoryItem, { kind: "toolCall" }>;

/** A fragment as the model will always see it from now on. */
export function asHistoryItem({ kind, role, origin, text }: Fragment): Extract<HistoryItem, { kind: "fragment" }> {
	return { kind: "fragment", fragment: kind, role, origin, text };
}
