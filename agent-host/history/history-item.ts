import * as z from "zod";
import type { Fragment } from "../context/fragment.ts";
import { ImageType } from "../protocol/thread/image.ts";

/** Belongs to the message before it. */
export const UserImage = z.object({
	kind: z.literal("userImage"),
	mediaType: ImageType,
	width: z.int().min(1),
	height: z.int().min(1),
	data: z.base64(),
});
export type UserImage = z.infer<typeof UserImage>;

/**
 * The role of a user message that a compaction kept: the request behind the task, a message of the newest turn, both,
 * or neither.
 */
export const MessageMark = z.object({ request: z.literal(true).optional(), asked: z.literal(true).optional() });
export type MessageMark = z.infer<typeof MessageMark>;

/** Fields of the provider's that go back with an item unchanged, to who wrote them and nobody else. */
const opaque = {
	extra: z.record(z.string(), z.unknown()).optional().catch(undefined),
	/** Who wrote `extra` and `phase`. */
	source: z.string().optional(),
};
/** The text that the user muted; the item's own text is the line in its place. Never sent. */
const muted = { muted: z.string().optional() };

/** One entry of history, sent to the model with every request. Persisted: fields are never renamed. */
export const HistoryItem = z.discriminatedUnion("kind", [
	z.object({
		kind: z.literal("fragment"),
		fragment: z.string(),
		role: z.enum(["developer", "user"]),
		origin: z.string(),
		text: z.string(),
		/** User messages that a compaction quoted in it word for word, oldest first. */
		quotes: z.array(z.string()).optional(),
		/**
		 * The roles of those messages. Absent in older threads, where the first quote may be the request, whenever it was
		 * said.
		 */
		marks: z.array(MessageMark).optional(),
	}),
	z.object({
		kind: z.literal("userMessage"),
		text: z.string(),
		/**
		 * For a message that a compaction kept beside its quotes: how many of them were said before it, and its role. Read
		 * in the order in which it is written: the digest of a request depends on it.
		 */
		kept: z.object({ after: z.int().min(0), ...MessageMark.shape }).optional(),
	}),
	UserImage,
	z.object({
		kind: z.literal("agentMessage"),
		text: z.string(),
		cut: z.boolean().optional(),
		/** The provider's name for the part of an answer that this is; sent back to the same server. */
		phase: z.string().max(100).optional().catch(undefined),
		...opaque,
		...muted,
	}),
	/** Opaque to us: the provider's reasoning, sent back unchanged. */
	z.object({
		kind: z.literal("reasoning"),
		providerId: z.string(),
		summary: z.array(z.string()),
		encrypted: z.string().optional(),
		/** Who wrote it and can therefore read it; absent in older threads. */
		source: z.string().optional(),
	}),
	/** Opaque to us: a provider's summary of earlier turns, sent back unchanged. */
	z.object({
		kind: z.literal("sealedSummary"),
		encrypted: z.string(),
		/** Who wrote it and can therefore read it. */
		source: z.string(),
	}),
	z.object({
		kind: z.literal("toolCall"),
		callId: z.string(),
		name: z.string(),
		arguments: z.string(),
		/** The model sent plain text, which is the only field of the arguments; it is sent back as plain text. */
		freeForm: z.literal(true).optional(),
		...opaque,
	}),
	z.object({ kind: z.literal("toolOutput"), callId: z.string(), output: z.string(), ...muted }),
]);
export type HistoryItem = z.infer<typeof HistoryItem>;

export type ToolCall = Extract<HistoryItem, { kind: "toolCall" }>;

/** The history item of a fragment, exactly as the model will see it from now on. */
export function asHistoryItem({ kind, role, origin, text }: Fragment): Extract<HistoryItem, { kind: "fragment" }> {
	return { kind: "fragment", fragment: kind, role, origin, text };
}
