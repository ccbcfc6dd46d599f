import * as z from "zod";
import { ClientId, ItemId } from "../ids.ts";
import { AttachedInput } from "./attached.ts";
import { CompactionId, CompactionPhase, CompactionReason, CompactionReport } from "./compaction.ts";
import { ImageFacts } from "./image.ts";

/** A call of a tool, by what it is to whoever reads the thread. In threads of older releases all are `toolCall`. */
export const CallKind = z.enum(["command", "fileChange", "plan", "toolCall"]);
export type CallKind = z.infer<typeof CallKind>;

/**
 * What an item in flight may be: a text of the model's, a call whose output grows, or the draft of a call, which is no item yet: it
 * begins with its first piece and is gone with the next durable event of its turn.
 */
export const GrowingKind = z.enum(["agentMessage", "reasoning", ...CallKind.options, "draft"]);
export type GrowingKind = z.infer<typeof GrowingKind>;

/** What held a command: its sandbox, almost nothing because the mode is full access, or almost nothing because the user let it out. */
export const Containment = z.enum(["sandboxed", "fullAccess", "outside"]);
export type Containment = z.infer<typeof Containment>;

/** What bounded how many processes a command had: a group of the kernel's, a limit of the user's, or only that all end with it. */
export const ProcessBound = z.enum(["cgroup", "rlimit", "pidNamespace", "none"]);
export type ProcessBound = z.infer<typeof ProcessBound>;

/** How a command ended, if it did, and what held it meanwhile. */
export const CommandEnd = z.object({
	/** `background`: it goes on without the turn. Absent in threads of older releases, like all that follows it up to `exitCode`. */
	state: z.enum(["ended", "stopped", "background"]).optional(),
	/** Of a command that was stopped: why. */
	stoppedBy: z.enum(["time", "user", "protection", "limit"]).optional(),
	/** Of a command in the background: how the tools name it. */
	processId: z.string().optional(),
	/** What the host has to say of it besides, as sentences for a person. */
	notes: z.array(z.string()).optional(),
	/** Where in the call's `output` the command's own output begins; before it stands what the model reads of all this. */
	outputFrom: z.int().min(0).optional(),
	exitCode: z.int().optional(),
	signal: z.string().optional(),
	timedOut: z.boolean().optional(),
	/** The sandbox in a few words, such as "workspace-write, no network". */
	sandbox: z.string().optional(),
	/** Absent in threads of older releases, like the two below. */
	containment: Containment.optional(),
	durationMs: z.number().optional(),
	/** All that it wrote, kept or not. */
	outputBytes: z.number().optional(),
	/** Hosts it asked for in vain, with their port, and why. Absent when there are none. */
	refusedHosts: z.array(z.object({ host: z.string(), reason: z.string() })).optional(),
	/** Absent in threads of older releases. */
	processBound: ProcessBound.optional(),
});
export type CommandEnd = z.infer<typeof CommandEnd>;

export const ToolStatus = z.enum(["running", "completed", "failed", "interrupted"]);

export const Item = z.discriminatedUnion("kind", [
	z.object({
		kind: z.literal("userMessage"),
		id: ItemId,
		/** `plain`, or the kind of the fragment this is, so that no client parses tags. */
		messageKind: z.string(),
		text: z.string(),
		/** What came with it; absent when nothing did. */
		images: z.array(ImageFacts).optional(),
		/** What else was attached, so that the same can be sent again; absent when nothing was, and in threads of older releases. */
		attached: z.array(AttachedInput).optional(),
		/** Said to a turn that was running. */
		steered: z.boolean().optional(),
		/** Of a steered one, as its client named it. */
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
		/** The model's own JSON, as text: untrusted and possibly malformed. */
		arguments: z.string(),
		/** What the call does, in a few words, such as "Read src/main.ts". */
		title: z.string(),
		status: ToolStatus,
		output: z.string().optional(),
		/** Of a call that ran a command. */
		command: CommandEnd.optional(),
		/** A command that the user ran themselves; no model asked for it. */
		by: z.literal("user").optional(),
	}),
	/** The card of a compaction; `compactionUndone` with its id takes it back. */
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

export type CallItem = Extract<Item, { readonly callId: string }>;

export function isCall(item: Item): item is CallItem {
	return "callId" in item;
}
