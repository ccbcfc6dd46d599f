import * as z from "zod";
import type { ApprovalAnswer, ApprovalDecision, ApprovalRequest } from "../../protocol/approval/approval.ts";
import {
	type AskedQuestion,
	type GivenAnswers,
	isEnough,
	type QuestionAnswer,
	type QuestionRequest,
	type QuestionSubject,
} from "../../protocol/approval/question.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import { describeApproval, describeQuestion } from "../approval-text.ts";
import { makeVisible, makeVisibleLine } from "../visible.ts";

/** What a form of the caller asks its user for. */
export interface AskForm {
	readonly type: "object";
	readonly properties: Readonly<Record<string, AskField>>;
	readonly required: readonly string[];
}

type AskField =
	| { readonly type: "string"; readonly title: string; readonly enum: readonly string[] }
	| { readonly type: "string"; readonly title: string; readonly maxLength: number };

/** Something that a turn waits for: the user's answer, which only the caller's client can get. */
export interface Ask {
	readonly id: string;
	readonly threadId: ThreadId;
	readonly message: string;
	readonly form: AskForm;
	/** Aborts when the turn no longer waits for it. */
	readonly signal: AbortSignal;
	/** The content of a form that the user accepted; undefined for anything else, which is a no. */
	readonly answer: (content: unknown) => void;
}

const MAX_NOTE_CHARS = 4_000;
/** Answers that mean the same later; a rule would need a place to be kept. */
const OFFERED: readonly ApprovalDecision[] = ["allow", "allowThread", "deny", "abort"];

export function approvalForm({ choices }: Pick<ApprovalRequest, "choices">): AskForm {
	const decisions = OFFERED.filter((decision) => choices.includes(decision));
	return {
		type: "object",
		properties: {
			decision: { type: "string", title: "Decision", enum: decisions },
			note: { type: "string", title: "Note to the agent", maxLength: MAX_NOTE_CHARS },
		},
		required: ["decision"],
	};
}

/** Anything but a decision that was offered is a no. */
export function readApproval(
	content: unknown,
	{ choices, digest }: Pick<ApprovalRequest, "choices" | "digest">,
): ApprovalAnswer {
	const Answer = z.object({ decision: z.enum(OFFERED), note: z.string().max(MAX_NOTE_CHARS).optional() });
	const read = Answer.safeParse(content);
	if (!read.success || !choices.includes(read.data.decision)) return { decision: "deny", digest };
	const { decision, note } = read.data;
	return { decision, digest, ...(note === undefined || note === "" ? {} : { note }) };
}

/** Puts an approval to the user of the caller. `put` gets the ask to its client, or settles it. */
export function askApproval(
	request: ApprovalRequest,
	signal: AbortSignal,
	put: (ask: Ask) => void,
): Promise<ApprovalAnswer> {
	const message = `Vitrine needs approval.\n${describeApproval(request)}`;
	const about = { id: request.approvalId, threadId: request.threadId, message, form: approvalForm(request), signal };
	return settle(signal, (done) => put({ ...about, answer: (content) => done(readApproval(content, request)) }));
}

/** The choices of a question without fields: the first one is the yes. */
const CHOICES = { loop: ["continue", "stop"], address: ["open", "dismiss"] } as const;

export function askQuestion(
	request: QuestionRequest,
	signal: AbortSignal,
	put: (ask: Ask) => void,
): Promise<QuestionAnswer> {
	const { questionId: id, threadId, subject } = request;
	const form = subject.kind === "form" ? questionForm(subject.questions) : choiceForm(CHOICES[subject.kind]);
	const texts = subject.kind === "form" ? subject.questions.map(({ text }) => makeVisible(text)) : [];
	const message = [describeQuestion(request), ...texts].join("\n");
	return settle(signal, (done) =>
		put({ id, threadId, message, form, signal, answer: (content) => done(readQuestion(content, subject)) }),
	);
}

function choiceForm(choices: readonly string[]): AskForm {
	return {
		type: "object",
		properties: { choice: { type: "string", title: "Choice", enum: choices } },
		required: ["choice"],
	};
}

function questionForm(questions: readonly AskedQuestion[]): AskForm {
	const fields = questions.map(({ id, header, text, options, multiple, input }) => {
		const title = makeVisibleLine(header ?? text);
		// What allows more than one answer, or other words, is a line of text.
		const isPlain = options.length > 0 && multiple === undefined && input === undefined;
		const labels = options.map(({ label }) => label);
		return [
			id,
			isPlain ? { type: "string", title, enum: labels } : { type: "string", title, maxLength: MAX_NOTE_CHARS },
		];
	});
	const required = questions.filter((question) => question.required).map(({ id }) => id);
	return { type: "object", properties: Object.fromEntries(fields), required };
}

/** No answer, or one that cannot be read, is a no. */
export function readQuestion(content: unknown, subject: QuestionSubject): QuestionAnswer {
	if (subject.kind !== "form") {
		const [yes, no] = CHOICES[subject.kind];
		return { choice: Object(content).choice === yes ? yes : no };
	}
	const answers: Record<string, GivenAnswers[string]> = {};
	for (const { id, options, input, required } of subject.questions) {
		const value: unknown = Object(content)[id];
		const text = typeof value === "string" ? value.trim().slice(0, MAX_NOTE_CHARS) : "";
		if (options.some(({ label }) => label === text)) answers[id] = { chosen: [text] };
		else if (text !== "" && input !== undefined) answers[id] = { chosen: [], text };
		else if (required) return { choice: "dismiss" };
	}
	const isSent = Object(content) === content && isEnough(answers, subject);
	return isSent ? { choice: "answer", answers } : { choice: "dismiss" };
}

function settle<T>(signal: AbortSignal, begin: (done: (value: T) => void) => void): Promise<T> {
	return new Promise((resolve, reject) => {
		signal.throwIfAborted();
		signal.addEventListener("abort", () => reject(signal.reason), { once: true });
		begin(resolve);
	});
}
