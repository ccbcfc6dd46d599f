import type { HookEvent, HookOffer } from "../../envelope/envelope.ts";

/** The moments at which hooks run, with how long one may take unless it says otherwise, in milliseconds. */
export const HOOK_EVENTS: Readonly<Record<HookEvent, { readonly timeoutMs: number }>> = {
	SessionStart: { timeoutMs: 60_000 },
	UserPromptSubmit: { timeoutMs: 30_000 },
	PreToolUse: { timeoutMs: 60_000 },
	PermissionRequest: { timeoutMs: 60_000 },
	PostToolUse: { timeoutMs: 60_000 },
	PreCompact: { timeoutMs: 60_000 },
	PostCompact: { timeoutMs: 60_000 },
	Stop: { timeoutMs: 60_000 },
	SubagentStart: { timeoutMs: 60_000 },
	SubagentStop: { timeoutMs: 60_000 },
	SessionEnd: { timeoutMs: 1_000 },
};

/** A file with hooks, whole, with the scripts that its commands name. */
export interface HookFile {
	readonly path: string;
	readonly origin: HookOffer["origin"];
	/** Identifies the definitions and every script. */
	readonly digest: string;
	/** All of that as text. */
	readonly text: string;
	readonly hooks: readonly HookOffer[];
	/** One sentence for each entry that is not used. */
	readonly problems: readonly string[];
}
