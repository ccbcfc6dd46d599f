import * as z from "zod";
import type { CacheBreak } from "../agent-host/protocol/thread/cache-break.ts";
import type { InspectedItem, ListedSource } from "../agent-host/protocol/thread/context.ts";

/** Messages from the context inspector's page. The page is untrusted: the extension parses each of them. */
export const FromInspector = z.discriminatedUnion("type", [
	z.object({ type: z.literal("ready") }),
	z.object({ type: z.literal("refresh") }),
	/** Pins or unpins a prompt: the item at this index in the state with this revision. */
	z.object({ type: z.literal("pin"), revision: z.int(), index: z.int().min(0), pinned: z.boolean() }),
	/** Mutes or unmutes an item, likewise. */
	z.object({ type: z.literal("mute"), revision: z.int(), index: z.int().min(0), muted: z.boolean() }),
	/** Switches a source of the thread that is shown on or off: the one at this index in the state with this revision. */
	z.object({ type: z.literal("switchSource"), revision: z.int(), index: z.int().min(0), isOff: z.boolean() }),
	/** Shows a sent request, counted from 1, or from the newest back with -1; without a number, the next request. */
	z.object({ type: z.literal("showRequest"), request: z.int().optional() }),
	/** Opens a diff editor with the previous request. */
	z.object({ type: z.literal("compare") }),
	/** Shows the request as the provider gets it. */
	z.object({ type: z.literal("showRaw") }),
	/** Requests the text of one item in the state with this revision. */
	z.object({ type: z.literal("readItem"), revision: z.int(), index: z.int().min(0) }),
]);
export type FromInspector = z.infer<typeof FromInspector>;

/** An item of a request without its text, which is fetched when the item is opened. */
export type InspectorItem = Omit<InspectedItem, "text" | "turnId"> & {
	/** Number of its turn, counted from 1. */
	readonly turn?: number;
	/** Start of the text, on one line. */
	readonly preview: string;
};

/** The next request, as the inspector shows it. */
export interface InspectorState {
	readonly revision: number;
	readonly model: string;
	readonly effectiveWindow: number;
	readonly autoCompactLimit: number;
	readonly tokens: number;
	readonly items: readonly InspectorItem[];
	/** Number of earlier turns that compactions replaced. */
	readonly compactedTurns?: number;
	readonly firstUncached?: number;
	/** Why the cache did not help, or cannot help with the next request. */
	readonly cacheMiss?: CacheBreak;
	readonly policy: readonly string[];
	readonly policyDigest: string;
	/** Instruction files that are ignored because the workspace is not trusted. */
	readonly notFollowed?: readonly string[];
	/** What the thread can do without; for the next request only. */
	readonly sources?: readonly ListedSource[];
	/** Set for a sent request: its number, and whether it is shown exactly as it was sent. */
	readonly request?: { readonly number: number; readonly of: number; readonly isExact: boolean };
}

export type ToInspector =
	| { readonly type: "context"; readonly context: InspectorState }
	| {
			readonly type: "itemText";
			readonly revision: number;
			readonly index: number;
			readonly text: string;
			readonly left: number;
	  }
	/** Nothing to show, with the reason. */
	| { readonly type: "empty"; readonly reason: string };
