import { pickOrigin } from "../../protocol/agent.ts";
import {
	type GivenAnswers,
	isEnough,
	type QuestionAnswer,
	type QuestionRequest,
	type QuestionSubject,
} from "../../protocol/approval/question.ts";
import type { ToolContext } from "../thread/running-turn.ts";

type Asking = Pick<ToolContext, "thread" | "envelope" | "ports" | "signal">;

/**
 * Asks the user. The question and its answer are recorded. Undefined if there was no answer: nobody could be asked, or
 * the turn ended first.
 */
export async function askQuestion(
	{ thread, envelope, ports, signal }: Asking,
	subject: QuestionSubject,
	choices: QuestionRequest["choices"],
	/** Withdraws the question. */
	withdrawn: AbortSignal = signal,
): Promise<QuestionAnswer | undefined> {
	const { threadId, turnId, agent } = envelope.identity;
	const questionId = ports.newId();
	const request: QuestionRequest = {
		...{ threadId, turnId, questionId, subject, choices },
		...(agent && { agent: pickOrigin(agent) }),
	};
	await thread.commit([{ kind: "event", event: { type: "questionAsked", turnId, request } }], "synced");
	const given = withdrawn.aborted ? undefined : await ports.question(request, withdrawn).catch(() => undefined);
	const answer = given === undefined ? undefined : readAnswer(given, request);
	await thread.commit(
		[{ kind: "event", event: { type: "questionAnswered", turnId, questionId, ...answer } }],
		"synced",
	);
	signal.throwIfAborted();
	return answer;
}

/** Only what was asked can be answered: an answer that does not fit is none. */
function readAnswer({ choice, answers = {} }: QuestionAnswer, request: QuestionRequest): QuestionAnswer | undefined {
	const { subject, choices } = request;
	if (!choices.includes(choice)) return undefined;
	if (choice !== "answer" || subject.kind !== "form") return { choice };
	const kept: GivenAnswers = {};
	for (const { id, options, multiple, input } of subject.questions) {
		const given = answers[id];
		const chosen = options.map(({ label }) => label).filter((label) => given?.chosen.includes(label));
		const text = input === undefined ? undefined : given?.text?.trim() || undefined;
		if (chosen.length === 0 && text === undefined) continue;
		kept[id] = { chosen: multiple ? chosen : chosen.slice(0, 1), ...(text !== undefined && { text }) };
	}
	const isWhole = subject.questions.every(({ id, required }) => required === undefined || id in kept);
	return isWhole && isEnough(kept, subject) ? { choice, answers: kept } : { choice: "dismiss" };
}
