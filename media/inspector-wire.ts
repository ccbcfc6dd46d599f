import * as z from "zod";
import type { InspectedItem } from "../agent-host/protocol/thread/context.ts";

/** What the context inspector's page may ask of the extension; parsed there, like everything a page says. */
export const FromInspector = z.discriminatedUnion("type", [
	z.object({ type: z.literal("ready") }),
	z.object({ type: z.literal("refresh") }),
	/** Pins or unpins the prompt that this item of the state with this revision is. */
	z.object({ type: z.literal("pin"), revision: z.int(), index: z.int().min(0), pinned: z.boolean() }),
	/** Shows a request that was sent, counted from 1 or from the newest back with -1; without one, the next. */
	z.object({ type: z.literal("showRequest"), request: z.int().optional() }),
	/** Shows what is different from the request before, in a diff editor. */
	z.object({ type: z.literal("compare") }),
	/** Asks for the text of one item of the state with this revision. */
	z.object({ type: z.literal("readItem"), revision: z.int(), index: z.int().min(0) }),
]);
export type FromInspector = z.infer<typeof FromInspector>;

/** An item of the next request without its text, which is fetched when it is opened. */
export type InspectorItem = Omit<InspectedItem, "text" | "turnId"> & {
	/** Number of the turn it came with, counted from 1. */
	readonly turn?: number;
	/** The beginning of its text, on one line. */
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
	readonly firstUncached?: number;
	readonly policy: readonly string[];
	readonly policyDigest: string;
	/** Instruction files of a workspace that is not trusted. */
	readonly notFollowed?: readonly string[];
	/** Of a request that was sent: which one, and whether it is exactly what was sent. */
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
	/** There is nothing to show, and why. */
	| { readonly type: "empty"; readonly reason: string };
