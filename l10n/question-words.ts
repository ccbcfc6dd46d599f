import type { GivenAnswers, QuestionChoice, QuestionSubject } from "../agent-host/protocol/approval/question.ts";
import { sayNamed } from "./host-words.ts";
import { type Message, t } from "./t.ts";

/** What is asked, in a line or two. */
export function describeQuestion(subject: QuestionSubject | Repeated): string {
	switch (subject.kind) {
		case "loop": {
			const title = sayNamed(subject.title, subject.titleSaid);
			return t("The agent made the same call {0} times with the same result: {1}", subject.times, title);
		}
		case "form": {
			const asked = [subject.message, ...subject.questions.map(({ text }) => text)].filter(
				(text) => text !== undefined,
			);
			return subject.server === undefined ? asked.join("\n") : `${subject.server}: ${asked.join("\n")}`;
		}
		case "address":
			return `${subject.server}: ${subject.message}\n${subject.url}`;
	}
}

/** What is said about a turn that repeated itself, also when nobody could be asked. */
type Repeated = Pick<Extract<QuestionSubject, { kind: "loop" }>, "kind" | "title" | "titleSaid" | "times">;

/** The heading of a question, without text of the model; the name is the user's own. */
export function nameQuestion(subject: QuestionSubject): string {
	switch (subject.kind) {
		case "loop":
			return t("Should it keep going?");
		case "form":
			return subject.server === undefined
				? t("Vitrine has a question")
				: t("The MCP server {0} asks you for information", subject.server);
		case "address":
			return t("The MCP server {0} wants to open a web page", subject.server);
	}
}

/** The same for a notification: it renders links, so it contains nothing but these words. */
export const QUESTION_TITLES: Readonly<Record<QuestionSubject["kind"] | "server", Message>> = {
	loop: "Vitrine is repeating itself. Should it keep going?",
	form: "Vitrine has a question for you",
	server: "An MCP server asks you for information",
	address: "An MCP server wants to open a web page",
};

/** How it was answered. */
export function describeAnswer(choice: QuestionChoice | undefined, answers: GivenAnswers = {}): string {
	switch (choice) {
		case "continue":
			return t("You let the agent keep going.");
		case "stop":
			return t("You stopped the agent.");
		case "answer":
			return Object.keys(answers).length === 0
				? t("You sent it without an answer.")
				: t("You answered: {0}", Object.values(answers).map(describeGiven).join("; "));
		case "open":
			return t("You opened the page.");
		case "dismiss":
			return t("You dismissed it without an answer.");
		case undefined:
			return t("No answer.");
	}
}

function describeGiven({ chosen, text }: GivenAnswers[string]): string {
	return [...chosen, ...(text === undefined ? [] : [text])].join(", ");
}
