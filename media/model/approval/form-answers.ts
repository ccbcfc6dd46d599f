import type { AskedQuestion, FormSubject, GivenAnswers } from "../../../agent-host/protocol/approval/question.ts";

/** What is chosen and written on a form so far. */
export type FormDraft = Readonly<Record<string, { readonly chosen: readonly string[]; readonly text: string }>>;

/** A form as it appears: with what is recommended. */
export function beginForm(questions: readonly AskedQuestion[]): FormDraft {
	return Object.fromEntries(
		questions.map(({ id, options, multiple, initial = "" }) => {
			const recommended = options.filter((option) => option.recommended).map(({ label }) => label);
			return [id, { chosen: multiple ? recommended : recommended.slice(0, 1), text: initial }];
		}),
	);
}

/** With an option chosen, or no longer. Where only one answer counts, it replaces the others and the text. */
export function chooseOption(draft: FormDraft, { id, multiple }: AskedQuestion, label: string): FormDraft {
	const { chosen = [], text = "" } = draft[id] ?? {};
	if (!multiple) return { ...draft, [id]: { chosen: [label], text: "" } };
	const others = chosen.filter((one) => one !== label);
	return { ...draft, [id]: { chosen: others.length < chosen.length ? others : [...chosen, label], text } };
}

/** With other words. Where only one answer counts, they replace the chosen option. */
export function writeAnswer(draft: FormDraft, { id, multiple }: AskedQuestion, text: string): FormDraft {
	const { chosen = [] } = draft[id] ?? {};
	return { ...draft, [id]: { chosen: multiple || text.trim() === "" ? chosen : [], text } };
}

/** The answers of a form; undefined while one is missing or is no number. Questions left open have none. */
export function readForm(draft: FormDraft, form: Pick<FormSubject, "server" | "questions">): GivenAnswers | undefined {
	const answers: GivenAnswers = {};
	for (const question of form.questions) {
		const { chosen = [], text = "" } = draft[question.id] ?? {};
		const words = text.trim();
		if (!fitsInput(question, words)) return undefined;
		if (chosen.length > 0 || words !== "") {
			answers[question.id] = { chosen: [...chosen], ...(words !== "" && { text: words }) };
		} else if (question.required) return undefined;
	}
	// A server may want none.
	return form.server !== undefined || Object.keys(answers).length > 0 ? answers : undefined;
}

/** Whether dismissing the form would lose words of the user. */
export function hasOwnWords(draft: FormDraft, questions: readonly AskedQuestion[]): boolean {
	return questions.some(({ id, initial = "" }) => {
		const text = draft[id]?.text.trim() ?? "";
		return text !== "" && text !== initial.trim();
	});
}

/** Whether what is written is a number, where one is asked for. */
export function fitsInput({ input }: AskedQuestion, text: string): boolean {
	const words = text.trim();
	if (words === "" || input === undefined || input === "text") return true;
	const value = Number(words);
	return input === "integer" ? Number.isSafeInteger(value) : Number.isFinite(value);
}
