import * as z from "zod";
import { ClientId, ItemId } from "../ids.ts";
import { SaidFields } from "../say.ts";
import { AttachedInput } from "./attached.ts";
import { CompactionId, CompactionPhase, CompactionReason, CompactionReport } from "./compaction.ts";
import { ImageFacts } from "./image.ts";

/** A tool call, or a run of a hook, classified for display. In threads of older releases all are `toolCall`. */
export const CallKind = z.enum(["command", "fileChange", "plan", "toolCall", "hook"]);
export type CallKind = z.infer<typeof CallKind>;

/**
 * The kind of an item in progress: a text of the model, a call whose output grows, or the draft of a call. A draft is
 * not an item yet: it begins with its first piece and disappears with the next durable event of its turn.
 */
export const GrowingKind = z.enum(["agentMessage", "reasoning", ...CallKind.options, "draft"]);
export type GrowingKind = z.infer<typeof GrowingKind>;

/**
 * How a command was contained: by its sandbox, almost not because of full access, or almost not because the user
 * approved it.
 */
export const Containment = z.enum(["sandboxed", "fullAccess", "outside", "none"]);
export type Containment = z.infer<typeof Containment>;

/** What limited the number of a command's processes: a cgroup, an rlimit, or only that all end with it. */
export const ProcessBound = z.enum(["cgroup", "rlimit", "pidNamespace", "none"]);
export type ProcessBound = z.infer<typeof ProcessBound>;

/** How a command ended, if it did, and how it was contained. */
export const CommandEnd = z.object({
	/**
	 * `background`: it continues after the turn. Absent in threads of older releases, like all fields from here to
	 * `exitCode`.
	 */
	state: z.enum(["ended", "stopped", "background"]).optional(),
	/** Why a stopped command was stopped. */
	stoppedBy: z.enum(["time", "user", "protection", "limit"]).optional(),
	/** The id of a background command for the tools. */
	processId: z.string().optional(),
	/** Further remarks of the host, as sentences for a person. */
	notes: z.array(z.string()).optional(),
	/** Where the command's output begins in the call's `output`; the text before it is for the model. */
	outputFrom: z.int().min(0).optional(),
	exitCode: z.int().optional(),
	signal: z.string().optional(),
	timedOut: z.boolean().optional(),
	/** The sandbox in a few words, such as "Workspace, network off". */
	sandbox: z.string().optional(),
	sandboxSaid: SaidFields.optional(),
	/** Absent in threads of older releases, like the two below. */
	containment: Containment.optional(),
	durationMs: z.number().optional(),
	/** Everything it wrote, including bytes that were not kept. */
	outputBytes: z.number().optional(),
	/** Hosts it could not connect to, with their port and the reason. Absent if there are none. */
	refusedHosts: z.array(z.object({ host: z.string(), reason: z.string() })).optional(),
	/** Absent in threads of older releases. */
	processBound: ProcessBound.optional(),
});
export type CommandEnd = z.infer<typeof CommandEnd>;

export const ToolStatus = z.enum(["running", "completed", "failed", "interrupted"]);

/** A long patch of which a client was sent the beginning: the length of its call's arguments, and its files. */
export const CutPatch = z.object({
	characters: z.int().min(0),
	files: z.array(
		z.object({
			path: z.string(),
			movedTo: z.string().optional(),
			operation: z.enum(["add", "update", "delete"]),
			added: z.int().min(0),
			removed: z.int().min(0),
		}),
	),
});
export type CutPatch = z.infer<typeof CutPatch>;

export const Item = z.discriminatedUnion("kind", [
	z.object({
		kind: z.literal("userMessage"),
		id: ItemId,
		/** `plain`, or the kind of this fragment, so that no client parses tags. */
		messageKind: z.string(),
		text: z.string(),
		/** Attached images; absent if there are none. */
		images: z.array(ImageFacts).optional(),
		/**
		 * Other attachments, so that the message can be sent again; absent if there are none, and in threads of older
		 * releases.
		 */
		attached: z.array(AttachedInput).optional(),
		/** Sent to a running turn. */
		steered: z.boolean().optional(),
		/** The client's id of a steering message. */
		clientId: ClientId.optional(),
	}),
	z.object({
		kind: z.literal("agentMessage"),
		id: ItemId,
		text: z.string(),
		/** The model did not finish this text: it was stopped, or the host or connection died. */
		cut: z.boolean().optional(),
	}),
	z.object({ kind: z.literal("reasoning"), id: ItemId, text: z.string(), cut: z.boolean().optional() }),
	z.object({
		kind: CallKind,
		id: ItemId,
		callId: z.string(),
		name: z.string(),
		/** The model's JSON as text: untrusted and possibly malformed. */
		arguments: z.string(),
		/** `arguments` is only the beginning. `thread/read` returns all of it, unless it was told to cut. */
		cut: CutPatch.optional(),
		/** What the call does in a few words, such as "Read src/main.ts". */
		title: z.string(),
		titleSaid: SaidFields.optional(),
		status: ToolStatus,
		output: z.string().optional(),
		/** Set if the call ran a command. */
		command: CommandEnd.optional(),
		/** A command that the user ran, not the model. */
		by: z.literal("user").optional(),
	}),
	/** The card of a compaction; `compactionUndone` with its id reverts it. */
	z.object({
		kind: z.literal("contextCompaction"),
		id: ItemId,
		compactionId: CompactionId,
		reason: CompactionReason,
		phase: CompactionPhase,
		...CompactionReport.shape,
	}),
	z.object({ kind: z.literal("notice"), id: ItemId, level: z.enum(["info", "warning"]), text: z.string() }),
]);
export type Item = z.infer<typeof Item>;

export type UserMessageItem = Extract<Item, { readonly kind: "userMessage" }>;
export type CallItem = Extract<Item, { readonly callId: string }>;

export function isCall(item: Item): item is CallItem {
	return "callId" in item;
}
