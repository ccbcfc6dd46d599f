import * as z from "zod";
import { AgentOrigin } from "../agent.ts";
import { ThreadId, TurnId } from "../ids.ts";
import { MAX_ANSWER_CHARS } from "../limits.ts";
import { defineMethod } from "../method.ts";
import { SaidFields } from "../say.ts";

/** More than this nobody reads on a card. */
const MAX_QUESTIONS = 12;
const MAX_OPTIONS = 50;

const AskedOption = z.object({
	label: z.string().min(1).max(200),
	description: z.string().max(500).optional(),
	/** Chosen until the user chooses another one. */
	recommended: z.literal(true).optional(),
});

/** One question, with the ways to answer it. */
export const AskedQuestion = z.object({
	id: z.string().min(1).max(100),
	header: z.string().max(100).optional(),
	text: z.string().min(1).max(2_000),
	options: z.array(AskedOption).max(MAX_OPTIONS),
	/** More than one option can be chosen. */
	multiple: z.literal(true).optional(),
	/** An answer in the user's own words, or as a number; absent if only the options count. */
	input: z.enum(["text", "number", "integer"]).optional(),
	/** What the input contains before the user writes. */
	initial: z.string().max(MAX_ANSWER_CHARS).optional(),
	/** The answers go together: without this one there are none. */
	required: z.literal(true).optional(),
});
export type AskedQuestion = z.infer<typeof AskedQuestion>;

/** The subject of a question, as values: the client provides the text around them. */
export const QuestionSubject = z.discriminatedUnion("kind", [
	/** The same call gave the same result this many times; should the turn continue? */
	z.object({
		kind: z.literal("loop"),
		name: z.string(),
		title: z.string(),
		titleSaid: SaidFields.optional(),
		times: z.int().min(1),
	}),
	/** Questions of the agent; or of an MCP server, with its name in the user's settings. */
	z.object({
		kind: z.literal("form"),
		server: z.string().optional(),
		/** What the server says about its questions. */
		message: z.string().max(2_000).optional(),
		/** None if an MCP server only wants a yes. */
		questions: z.array(AskedQuestion).max(MAX_QUESTIONS),
	}),
	/** An MCP server wants the user to open an address in a browser. */
	z.object({ kind: z.literal("address"), server: z.string(), message: z.string().max(2_000), url: z.string() }),
]);
export type QuestionSubject = z.infer<typeof QuestionSubject>;
export type FormSubject = Extract<QuestionSubject, { kind: "form" }>;

/** `dismiss` is an answer, too: the user does not want to say. */
export const QuestionChoice = z.enum(["continue", "stop", "answer", "open", "dismiss"]);
export type QuestionChoice = z.infer<typeof QuestionChoice>;

export const QuestionRequest = z.object({
	threadId: ThreadId,
	turnId: TurnId,
	/** Identifies this question; an answer to another one has no effect. */
	questionId: z.string(),
	subject: QuestionSubject,
	choices: z.array(QuestionChoice),
	/** The sub-agent that asks; absent if it is the thread that the user wrote to. */
	agent: AgentOrigin.optional(),
});
export type QuestionRequest = z.infer<typeof QuestionRequest>;

/** The labels of the chosen options, and the user's own words. */
const GivenAnswer = z.object({
	chosen: z.array(z.string().max(200)).max(MAX_OPTIONS),
	text: z.string().max(MAX_ANSWER_CHARS).optional(),
});

/** Answers by the ids of their questions. A question that was left open has none. */
export const GivenAnswers = z.record(z.string().max(100), GivenAnswer);
export type GivenAnswers = z.infer<typeof GivenAnswers>;

/** Whether a form can be sent with these answers: a server may want none, the agent wants one at least. */
export function isEnough(answers: GivenAnswers, { server }: Pick<FormSubject, "server">): boolean {
	return server !== undefined || Object.keys(answers).length > 0;
}

export const QuestionAnswer = z.object({ choice: QuestionChoice, answers: GivenAnswers.optional() });
export type QuestionAnswer = z.infer<typeof QuestionAnswer>;

export const questionAsk = defineMethod(
	"question/ask",
	"Asks the user how a running turn should continue, or what the agent or an MCP server wants to know. It grants no permission. The request is cancelled when the turn ends; a client that cannot ask answers with an error, which counts as no answer.",
	{ params: QuestionRequest, result: QuestionAnswer },
);
