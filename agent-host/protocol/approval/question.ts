import * as z from "zod";
import { ThreadId, TurnId } from "../ids.ts";
import { defineMethod } from "../method.ts";

/** The subject of a question, as values: the client provides the text. */
export const QuestionSubject = z.discriminatedUnion("kind", [
	/** The same call gave the same result this many times; should the turn continue? */
	z.object({ kind: z.literal("loop"), name: z.string(), title: z.string(), times: z.int().min(1) }),
]);
export type QuestionSubject = z.infer<typeof QuestionSubject>;

export const QuestionChoice = z.enum(["continue", "stop"]);
export type QuestionChoice = z.infer<typeof QuestionChoice>;

export const QuestionRequest = z.object({
	threadId: ThreadId,
	turnId: TurnId,
	/** Identifies this question; an answer to another one has no effect. */
	questionId: z.string(),
	subject: QuestionSubject,
	choices: z.array(QuestionChoice),
});
export type QuestionRequest = z.infer<typeof QuestionRequest>;

export const QuestionAnswer = z.object({ choice: QuestionChoice });
export type QuestionAnswer = z.infer<typeof QuestionAnswer>;

export const questionAsk = defineMethod(
	"question/ask",
	"Asks the user how a running turn should continue. It grants no permission. The request is cancelled when the turn ends; a client that cannot ask answers with an error, and the turn ends.",
	{ params: QuestionRequest, result: QuestionAnswer },
);
