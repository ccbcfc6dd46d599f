import * as z from "zod";
import { ThreadId, TurnId } from "../ids.ts";
import { defineMethod } from "../method.ts";
import { CommandRule } from "../settings/policy-settings.ts";
import { ApprovalDecision } from "./approval.ts";

/** A verdict on a call that nobody was asked about. */
export const Decision = z.object({
	callId: z.string(),
	/** The call in a few words. */
	what: z.string(),
	decision: z.enum(["allow", "deny"]),
	/** The policy of the turn, a saved rule of the user's, or what they had allowed for the thread. */
	by: z.enum(["policy", "rule", "thread"]),
	/** One sentence, as the verdict gave it. */
	reason: z.string(),
	/** Of the policy that decided; of what was allowed, when it was allowed for the thread. */
	digest: z.string(),
	rule: CommandRule.optional(),
});
export type Decision = z.infer<typeof Decision>;

/** One decision of a thread, asked or not. */
export const LedgerEntry = Decision.extend({
	seq: z.int().min(1),
	at: z.number(),
	turnId: TurnId,
	decision: ApprovalDecision,
	/** `host`: nobody answered before the turn ended. */
	by: z.enum(["policy", "rule", "thread", "user", "host"]),
	note: z.string().optional(),
	/** The line that was added to the allowed hosts. */
	host: z.string().optional(),
	/** Of something allowed for the thread: it can be taken back, is no longer in force, or neither. */
	grant: z.enum(["inForce", "over"]).optional(),
});
export type LedgerEntry = z.infer<typeof LedgerEntry>;

export const permissionLedger = defineMethod(
	"permission/ledger",
	"Permission decisions in a thread, by whom and why, newest first. `cut`: there are older ones.",
	{
		params: z.object({ threadId: ThreadId, limit: z.int().min(1).max(1_000).default(200) }),
		result: z.object({ entries: z.array(LedgerEntry), cut: z.boolean() }),
	},
);

export const permissionRevoke = defineMethod(
	"permission/revoke",
	"Revokes a permission the user granted to a thread. The next such call needs approval again.",
	{
		params: z.object({ threadId: ThreadId, digest: z.string().max(200) }),
		result: z.object({ revoked: z.boolean() }),
	},
);
