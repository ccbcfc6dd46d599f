import * as z from "zod";
import { AgentOrigin } from "../agent.ts";
import { ThreadId, TurnId } from "../ids.ts";
import { MAX_NOTE_CHARS } from "../limits.ts";
import { defineMethod } from "../method.ts";
import { SaidFields } from "../say.ts";
import { CommandRule } from "../settings/policy-settings.ts";
import { ShownCustomization } from "./customization.ts";

/** One file that a patch would touch, with its real path. */
export const PatchTarget = z.object({
	path: z.string(),
	resolved: z.string(),
	operation: z.enum(["add", "update", "delete", "move"]),
	movedTo: z.string().optional(),
	added: z.number(),
	removed: z.number(),
	/** SHA-256 of the current content, of the new content, and of a file that would be replaced. */
	before: z.string().optional(),
	after: z.string().optional(),
	overwritten: z.string().optional(),
	/** Part of its content is not text, so its hash is shown instead. */
	binary: z.literal(true).optional(),
	/** An addition or a move that replaces a file. */
	overwrites: z.boolean().optional(),
	/** Why it needs a separate approval, if it does. */
	protected: z.string().optional(),
});

/** What exactly would happen. */
export const ApprovalSubject = z.discriminatedUnion("kind", [
	z.object({
		kind: z.literal("command"),
		argv: z.array(z.string()),
		/** The shell string, if the model sent one. */
		shell: z.string().optional(),
		cwd: z.string(),
		/** The real path, if `cwd` contains a link. */
		resolvedCwd: z.string().optional(),
		program: z.string().optional(),
		/** Identifies this exact file, also if another one replaces it. */
		programIdentity: z.string().optional(),
		/** Names of its environment variables, never their values. */
		environment: z.array(z.string()),
		sandbox: z.string(),
		sandboxSaid: SaidFields.optional(),
		/** Digest of the exact policy behind that text. Older threads include it in the text. */
		policyDigest: z.string().optional(),
		network: z.string(),
		networkSaid: SaidFields.optional(),
		/** How long it may run in the background and take input. */
		inputOpenMs: z.number().optional(),
		/** The command is already running; the approval is for writing this text to its input. */
		input: z.object({ processId: z.string(), text: z.string() }).optional(),
		/** Runs outside the sandbox. */
		escalated: z.literal(true).optional(),
		/** This machine has no sandbox: it runs with the user's rights. */
		containment: z.literal("none").optional(),
		/**
		 * Visible deletions: the targets, and an upper bound for the number of files, or more than that if there were too
		 * many to count.
		 */
		deletes: z.object({ targets: z.array(z.string()), files: z.number(), isWhole: z.boolean() }).optional(),
		/** The model's reason: shown as a quote, never used for the decision. */
		why: z.string().optional(),
		/** What "always allow" saves: a rule for each part of `a && b` that has none yet. */
		rulesOffered: z.array(CommandRule).min(1).optional(),
		/** The workspace folder that `allowFolder` limits these rules to. */
		rulesFolder: z.string().optional(),
	}),
	z.object({
		kind: z.literal("patch"),
		files: z.array(PatchTarget),
		diff: z.string(),
		/** `diff` is only the beginning of a diff of this length. `approval/diff` returns all of it. */
		whole: z.object({ lines: z.number(), characters: z.number() }).optional(),
	}),
	/** Closed places that a command would read, as people write them. */
	z.object({ kind: z.literal("permission"), read: z.array(z.string()), command: z.string() }),
	z.object({
		kind: z.literal("network"),
		/** In punycode. */
		host: z.string(),
		/** The name in Unicode letters, if different. */
		letters: z.string().optional(),
		port: z.number(),
		/** The command that wants to connect to it. */
		process: z.string(),
		/** The line that "always allow" adds to the allowed hosts; without a port it covers both web ports. */
		rule: z.string().optional(),
	}),
	/** A call to a tool of an MCP server. */
	z.object({
		kind: z.literal("serverTool"),
		server: z.string(),
		tool: z.string(),
		/** Identifies the server's settings and everything it says about the tool. */
		definition: z.string(),
		/** What the server says about the tool: shown as a quote, never used for the decision. */
		description: z.string(),
		/** All arguments, as JSON. */
		input: z.string(),
	}),
	/** A call to a tool of the editor, which runs outside the sandbox. */
	z.object({
		kind: z.literal("editorTool"),
		tool: z.string(),
		/** Identifies everything that the editor says about the tool. */
		definition: z.string(),
		/** What its extension says about the tool: shown as a quote, never used for the decision. */
		description: z.string(),
		/** All arguments, as JSON. */
		input: z.string(),
	}),
	/** Use what the workspace brings along, until any byte of it changes. */
	z.object({ kind: z.literal("customizations"), entries: z.array(ShownCustomization) }),
]);
export type ApprovalSubject = z.infer<typeof ApprovalSubject>;

/** `allowFolder`: like `allowRule`, but the rules count only for commands in `rulesFolder`. */
export const ApprovalDecision = z.enum(["allow", "allowThread", "allowFolder", "allowRule", "deny", "abort"]);
export type ApprovalDecision = z.infer<typeof ApprovalDecision>;

/** The rules that an answer saves: those that were offered, limited to the folder if the user chose that. */
export function savedRules(subject: ApprovalSubject, decision: ApprovalDecision): readonly CommandRule[] {
	if (subject.kind !== "command") return [];
	const { rulesOffered = [], rulesFolder: folder } = subject;
	if (decision === "allowFolder" && folder !== undefined) return rulesOffered.map((rule) => ({ ...rule, folder }));
	return decision === "allowRule" ? rulesOffered : [];
}

export const ApprovalRequest = z.object({
	threadId: ThreadId,
	turnId: TurnId,
	callId: z.string(),
	/** Identifies this approval; a reply to another one has no effect. */
	approvalId: z.string(),
	/** Digest of everything that was shown: what runs later must have the same one. */
	digest: z.string(),
	/** Digest of what a lasting answer covers, if that is more than what is shown. */
	grant: z.string().optional(),
	reason: z.string(),
	reasonSaid: SaidFields.optional(),
	subject: ApprovalSubject,
	choices: z.array(ApprovalDecision),
	/** The sub-agent that asks; absent if it is the thread that the user wrote to. */
	agent: AgentOrigin.optional(),
});
export type ApprovalRequest = z.infer<typeof ApprovalRequest>;

export const ApprovalAnswer = z.object({
	decision: ApprovalDecision,
	/**
	 * Digest of what the user saw. Optional, because the reply belongs to one approval anyway; if sent, it must match.
	 */
	digest: z.string().optional(),
	/** A note to the model. */
	note: z.string().max(MAX_NOTE_CHARS).optional(),
});
export type ApprovalAnswer = z.infer<typeof ApprovalAnswer>;

export const approvalDiff = defineMethod(
	"approval/diff",
	"The full diff of a patch that needs approval, in pages: `next` is where the next page starts.",
	{
		params: z.object({ threadId: ThreadId, approvalId: z.string(), from: z.int().min(0).optional() }),
		result: z.object({ text: z.string(), next: z.number().optional() }),
	},
);

export const approvalAsk = defineMethod(
	"approval/ask",
	"Asks the user for approval of `subject`, whose fields are also at the top level. The answer is valid once, for this request, while the turn runs; the request is cancelled when the turn ends.",
	{ params: ApprovalRequest.and(ApprovalSubject), result: ApprovalAnswer },
);
