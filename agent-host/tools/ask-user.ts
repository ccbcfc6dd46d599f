import * as z from "zod";
import type { AskedQuestion } from "../protocol/approval/question.ts";
import { say } from "../protocol/say.ts";
import { defineTool } from "./tool.ts";

const MAX_AT_ONCE = 3;
const MIN_OPTIONS = 2;
const MAX_OPTIONS = 6;

const Option = z.object({
	label: z.string().min(1).max(100),
	description: z.string().min(1).max(300).optional(),
	recommended: z.boolean().optional(),
});

const Question = z.object({
	id: z.string().min(1).max(40),
	header: z.string().min(1).max(24).optional(),
	question: z.string().min(1).max(300),
	options: z.array(Option).min(MIN_OPTIONS).max(MAX_OPTIONS).optional(),
	multiple: z.boolean().optional(),
	freeText: z.boolean().optional().describe("Default true"),
});

export const askUser = defineTool({
	name: "ask_user",
	description:
		"Ask the user up to three short questions. Only when you cannot find out yourself and the answer matters. Never for secrets or permission: approvals are automatic.",
	needs: "user",
	// Earlier releases told models to give a single question without the list.
	input: z.preprocess(gather, z.object({ questions: z.array(Question).min(1).max(MAX_AT_ONCE) })),
	title: ({ questions: [first, ...rest] }) => {
		const question = first?.header ?? first?.question ?? "";
		return rest.length === 0 ? say("call-ask", { question }) : say("call-ask-more", { question, more: rest.length });
	},
	access: () => ({ kind: "none" }),
	async run({ questions }, _at, ports) {
		const ids = new Set(questions.map(({ id }) => id));
		if (ids.size < questions.length) return { ok: false, reason: "Each question needs an id of its own." };
		const repeated = questions.find(
			({ options = [] }) => new Set(options.map(({ label }) => label)).size < options.length,
		);
		if (repeated !== undefined) return { ok: false, reason: `The options of ${repeated.id} need different labels.` };
		const answers = await ports.askUser(questions.map(asAsked));
		return { ok: true, text: JSON.stringify(answers) };
	},
});

function gather(given: unknown): unknown {
	if (typeof given !== "object" || given === null || !("question" in given)) return given;
	const { questions, ...one } = given as { readonly question: unknown; readonly questions?: unknown };
	return { questions: [{ id: "answer", ...one }, ...(Array.isArray(questions) ? questions : [])] };
}

function asAsked({ id, header, question, options = [], multiple, freeText }: z.infer<typeof Question>): AskedQuestion {
	return {
		id,
		text: question,
		options: options.map(({ label, description, recommended }) => ({
			label,
			...(description !== undefined && { description }),
			...(recommended === true && { recommended }),
		})),
		...(header !== undefined && { header }),
		...(multiple === true && { multiple }),
		// A question that can be answered in no way at all would only be in the way.
		...(freeText !== false || options.length === 0 ? { input: "text" as const } : {}),
	};
}
