/** What is needed of a step to judge its list. */
interface Listed {
	readonly line: number;
	readonly box: string;
	readonly text: string;
}

const QUESTION = /[?？][\s*_)"”»]*$/;
/** A step that is one of several ways. */
const FIRST_OF_TWO = /[\s,;]or[\s*_:…]*$/i;
const OTHER_WAY = /^[*_(]*(?:or|alternatively)\b/i;
/** A question for one of them, in the languages of the panel. */
const WHICH =
	/\b(?:which|options?|prefer|choose|either|rather|welche[rsnm]?|lieber|variante|cuál|opción|prefieres?)(?![\p{L}])|どちら|どれ|どの|哪|选择/iu;

/**
 * Whether a list is options between which the user is to choose, instead of steps that follow each other. A question
 * behind a plan is common ("Shall I go ahead?"), so it must be one for a choice.
 */
export function isChoice(answer: string, steps: readonly Listed[]): boolean {
	const [first, last] = [steps[0], steps.at(-1)];
	if (first === undefined || last === undefined || steps.some(({ box }) => box !== "")) return false;
	if (QUESTION.test(last.text)) return true;
	if (steps.some(({ text }) => FIRST_OF_TWO.test(text)) || steps.slice(1).some(({ text }) => OTHER_WAY.test(text)))
		return true;
	const lines = answer.split(/\r?\n/);
	const before = lines.slice(0, first.line).findLast((line) => line.trim() !== "") ?? "";
	const after = lines.slice(last.line + 1).findLast((line) => line.trim() !== "") ?? "";
	return QUESTION.test(before) || (QUESTION.test(after) && WHICH.test(after));
}
