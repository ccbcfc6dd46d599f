import * as z from "zod";
import { ThreadId, TurnId } from "../ids.ts";
import { defineMethod } from "../method.ts";
import { SaidFields } from "../say.ts";
import { CommandRule, ServerToolRule } from "../settings/policy-settings.ts";
import { ApprovalDecision } from "./approval.ts";

/** A verdict on a call without an approval. */
export const Decision = z.object({
	callId: z.string(),
	/** The call in a few words. */
	what: z.string(),
	whatSaid: SaidFields.optional(),
	decision: z.enum(["allow", "deny"]),
	/** The policy of the turn, a saved rule, or an approval for the thread. */
	by: z.enum(["policy", "rule", "thread"]),
	/** One sentence from the verdict. */
	reason: z.string(),
	reasonSaid: SaidFields.optional(),
	/** Digest of the policy that decided; for an approval for the thread, of what was approved. */
	digest: z.string(),
	/** The saved rules that decided, or that the user saved. */
	rules: z.array(CommandRule).optional(),
	serverTool: ServerToolRule.optional(),
});
export type Decision = z.infer<typeof Decision>;

/** One decision of a thread, with or without approval. */
export const LedgerEntry = Decision.extend({
	seq: z.int().min(1),
	at: z.number(),
	turnId: TurnId,
	decision: ApprovalDecision,
	/** `host`: the turn ended before an answer. */
	by: z.enum(["policy", "rule", "thread", "user", "host"]),
	note: z.string().optional(),
	/** The line that was added to the allowed hosts. */
	host: z.string().optional(),
	/** For an approval for the thread: it can be revoked, is no longer in force, or neither. */
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
