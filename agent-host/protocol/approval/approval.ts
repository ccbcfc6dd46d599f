import * as z from "zod";
import { ThreadId, TurnId } from "../ids.ts";
import { defineMethod } from "../method.ts";
import { CommandRule } from "../settings/policy-settings.ts";

/** One file that a patch would touch, with where its path really leads. */
export const PatchTarget = z.object({
	path: z.string(),
	resolved: z.string(),
	operation: z.enum(["add", "update", "delete", "move"]),
	movedTo: z.string().optional(),
	added: z.number(),
	removed: z.number(),
	/** SHA-256 of the file as it is, as it would be, and of a file that would be replaced. */
	before: z.string().optional(),
	after: z.string().optional(),
	overwritten: z.string().optional(),
	/** Some of its content is not text, so it is named by its hash instead of shown. */
	binary: z.literal(true).optional(),
	/** An addition or a move that replaces a file. */
	overwrites: z.boolean().optional(),
	/** Why it is asked about on its own, when it is. */
	protected: z.string().optional(),
});

/** What exactly would happen. */
export const ApprovalSubject = z.discriminatedUnion("kind", [
	z.object({
		kind: z.literal("command"),
		argv: z.array(z.string()),
		/** The shell string, when the model gave one. */
		shell: z.string().optional(),
		cwd: z.string(),
		/** Where that really is, when it is spelled through a link. */
		resolvedCwd: z.string().optional(),
		program: z.string().optional(),
		/** Tells this very file from any other, also from one that takes its place. */
		programIdentity: z.string().optional(),
		/** Names of the variables it would get, never their values. */
		environment: z.array(z.string()),
		sandbox: z.string(),
		/** Stands for the exact policy behind those words. Older threads have it at their end. */
		policyDigest: z.string().optional(),
		network: z.string(),
		/** It goes on in the background and takes input for at most so long. */
		inputOpenMs: z.number().optional(),
		/** The command runs already; what is asked about is this text, written to its input. */
		input: z.object({ processId: z.string(), text: z.string() }).optional(),
		/** It would run outside the sandbox. */
		escalated: z.literal(true).optional(),
		/** What it is seen to delete: where, and at most how many files; more than that when they were too many to count. */
		deletes: z.object({ targets: z.array(z.string()), files: z.number(), isWhole: z.boolean() }).optional(),
		/** What the model says it is for: shown as its words, never used for the decision. */
		why: z.string().optional(),
		ruleOffered: CommandRule.optional(),
	}),
	z.object({
		kind: z.literal("patch"),
		files: z.array(PatchTarget),
		diff: z.string(),
		/** `diff` is only the beginning of a diff of this length. `approval/diff` has all of it. */
		whole: z.object({ lines: z.number(), characters: z.number() }).optional(),
	}),
	/** Closed places that a command would read, as people write them. */
	z.object({ kind: z.literal("permission"), read: z.array(z.string()), command: z.string() }),
	z.object({
		kind: z.literal("network"),
		/** In the letters that are resolved. */
		host: z.string(),
		/** The same in the letters that it stands for, when those are others. */
		letters: z.string().optional(),
		port: z.number(),
		/** The command that wants to reach it. */
		process: z.string(),
		/** The line that an answer for good adds to the allowed hosts; without a port it means both of the web's. */
		rule: z.string().optional(),
	}),
]);
export type ApprovalSubject = z.infer<typeof ApprovalSubject>;

export const ApprovalDecision = z.enum(["allow", "allowThread", "allowRule", "deny", "abort"]);
export type ApprovalDecision = z.infer<typeof ApprovalDecision>;

export const ApprovalRequest = z.object({
	threadId: ThreadId,
	turnId: TurnId,
	callId: z.string(),
	/** Names this question; an answer to another one does nothing. */
	approvalId: z.string(),
	/** Of everything that was shown: what runs later has the same one, or does not run. */
	digest: z.string(),
	reason: z.string(),
	subject: ApprovalSubject,
	choices: z.array(ApprovalDecision),
});
export type ApprovalRequest = z.infer<typeof ApprovalRequest>;

export const ApprovalAnswer = z.object({
	decision: ApprovalDecision,
	/** Of what the user saw. The reply itself belongs to one question; a client that says it too is held to it. */
	digest: z.string().optional(),
	rule: CommandRule.optional(),
	/** For the model to read. */
	note: z.string().max(4_000).optional(),
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
