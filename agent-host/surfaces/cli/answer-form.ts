import type { AskedQuestion, GivenAnswers, QuestionAnswer } from "../../protocol/approval/question.ts";
import { makeVisible, makeVisibleLine } from "../visible.ts";

type Given = GivenAnswers[string];

/** Asks the questions of a form one after the other. An empty line leaves one open, and all if it is required. */
export async function answerForm(
	questions: readonly AskedQuestion[],
	ask: (text: string) => Promise<string>,
	about: string,
): Promise<QuestionAnswer> {
	const answers: Record<string, Given> = {};
	let before = `${about}\n`;
	for (const question of questions) {
		const given = readGiven(question, await ask(before + describeAsked(question)));
		before = "";
		if (given !== undefined) answers[question.id] = given;
		else if (question.required) return { choice: "dismiss" };
	}
	return Object.keys(answers).length === 0 ? { choice: "dismiss" } : { choice: "answer", answers };
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
