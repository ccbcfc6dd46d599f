import {
	type AskedQuestion,
	type FormSubject,
	type GivenAnswers,
	isEnough,
	type QuestionAnswer,
} from "../../protocol/approval/question.ts";
import { makeVisible, makeVisibleLine } from "../visible.ts";

const SEND_EMPTY = "Send it without an answer? [y]es, [n]o";

type Given = GivenAnswers[string];

/**
 * Asks the questions of a form one after the other. An empty line leaves one open, and all if it is required. A form
 * that can be sent without any answer is sent so only after a yes.
 */
export async function answerForm(
	subject: Pick<FormSubject, "server" | "questions">,
	ask: (text: string) => Promise<string>,
	about: string,
): Promise<QuestionAnswer> {
	const answers: Record<string, Given> = {};
	let before = `${about}\n`;
	for (const question of subject.questions) {
		const given = readGiven(question, await ask(before + describeAsked(question)));
		before = "";
		if (given !== undefined) answers[question.id] = given;
		else if (question.required) return { choice: "dismiss" };
	}
	const isEmpty = Object.keys(answers).length === 0;
	const isSent = isEnough(answers, subject) && (!isEmpty || isYes(await ask(`${before}${SEND_EMPTY}`)));
	return isSent ? { choice: "answer", answers } : { choice: "dismiss" };
}

function describeAsked({ text, options, multiple, input, initial }: AskedQuestion): string {
	const list = options.map(({ label, description }, index) => {
		const more = description === undefined ? "" : `: ${makeVisibleLine(description)}`;
		return `  ${index + 1}  ${makeVisibleLine(label)}${more}`;
	});
	const numbers = options.length === 0 ? [] : [multiple ? "numbers with commas" : "a number"];
	const ways = [...numbers, ...(input === undefined ? [] : [input === "text" ? "your own words" : `any ${input}`])];
	const so = initial === undefined ? "" : ` (Suggested: ${makeVisibleLine(initial)})`;
	return [makeVisible(text) + so, ...list, `Type ${ways.join(" or ")}, or leave it empty to skip`].join("\n");
}

/** The options that were named by their numbers, or the person's own words where those count; otherwise no answer. */
export function readGiven({ options, multiple, input }: AskedQuestion, typed: string): Given | undefined {
	const text = typed.trim();
	if (text === "") return undefined;
	const numbers = text.split(",").map((one) => options[Number(one.trim()) - 1]?.label);
	const chosen = numbers.filter((label) => label !== undefined);
	if (chosen.length === numbers.length && (multiple || chosen.length === 1)) return { chosen };
	if (input === undefined || (input !== "text" && !isNumber(text, input))) return undefined;
	return { chosen: [], text };
}

function isNumber(text: string, input: "number" | "integer"): boolean {
	return input === "integer" ? Number.isInteger(Number(text)) : Number.isFinite(Number(text));
}

export function isYes(typed: string): boolean {
	return ["y", "yes"].includes(typed.trim().toLowerCase());
}
