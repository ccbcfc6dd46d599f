import type { ApprovalRequest } from "../../protocol/approval/approval.ts";
import { nameSubject } from "../../protocol/approval/name-subject.ts";
import type { AskedQuestion, GivenAnswers, QuestionRequest } from "../../protocol/approval/question.ts";
import type { ThreadEvent } from "../../protocol/thread/events.ts";
import { asPlain } from "../../protocol/thread/markdown-text.ts";

type Resolved = Extract<ThreadEvent, { readonly type: "approvalResolved" }>;
type Answered = Extract<ThreadEvent, { readonly type: "questionAnswered" }>;
type Choice = NonNullable<Answered["choice"]>;

const DECISIONS: Readonly<Record<Resolved["decision"], string>> = {
	allow: "You allowed",
	allowThread: "You allowed in this thread",
	allowFolder: "You always allow in this workspace",
	allowRule: "You always allow",
	deny: "You refused",
	abort: "You refused and stopped the turn",
};

/** What the user decided about an approval. */
export function renderDecision({ decision, by, note }: Resolved, request: ApprovalRequest | undefined): string {
	const who = by === "host" ? "Not answered, so refused" : DECISIONS[decision];
	const what = request === undefined ? "" : `: ${asPlain(nameSubject(request.subject).text)}`;
	return `${who}${what}${note === undefined ? "" : ` (your note: ${asPlain(note)})`}`;
}

/** Who asks, as a heading. */
export function nameAsker({ subject }: QuestionRequest): string {
	if (subject.kind === "address") return `Question of the MCP server ${asPlain(subject.server)}`;
	if (subject.kind === "loop" || subject.server === undefined) return "Question";
	return `Question of the MCP server ${asPlain(subject.server)}`;
}

/** What was asked, with the options. */
export function renderQuestion({ subject }: QuestionRequest): string {
	switch (subject.kind) {
		case "loop":
			return `The agent made the same call ${subject.times} times with the same result: ${asPlain(subject.title)}`;
		case "address":
			return [subject.message, subject.url].map(asPlain).join("\n\n");
		case "form":
			return [
				...(subject.message === undefined ? [] : [asPlain(subject.message)]),
				...subject.questions.map(renderAsked),
			].join("\n\n");
	}
}

function renderAsked({ text, options }: AskedQuestion): string {
	const listed = options.map(({ label, description }) => {
		return `- ${asPlain(description === undefined ? label : `${label}: ${description}`)}`;
	});
	return [asPlain(text), ...(listed.length === 0 ? [] : [listed.join("\n")])].join("\n\n");
}

const CHOICES: Readonly<Record<Exclude<Choice, "answer">, string>> = {
	continue: "You let the agent keep going.",
	stop: "You stopped the agent.",
	open: "You opened the page.",
	dismiss: "You dismissed it without an answer.",
};

/** What the user answered. */
export function renderAnswer({ choice, answers = {} }: Answered, request: QuestionRequest | undefined): string {
	if (choice === undefined) return "No answer.";
	if (choice !== "answer") return CHOICES[choice];
	const asked = request?.subject.kind === "form" ? request.subject.questions : [];
	const [only, ...others] = Object.entries(answers);
	if (only === undefined) return "You sent it without an answer.";
	if (others.length === 0 && asked.length < 2) return `You answered: ${renderGiven(only[1])}`;
	const lines = [only, ...others].map(([id, given]) => {
		const text = asked.find((question) => question.id === id)?.text ?? id;
		return `- ${asPlain(text)} ${renderGiven(given)}`;
	});
	return `You answered:\n\n${lines.join("\n")}`;
}

function renderGiven({ chosen, text }: GivenAnswers[string]): string {
	return asPlain([...chosen, ...(text === undefined ? [] : [text])].join(", "));
}
