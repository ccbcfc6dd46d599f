/** In one pass, so that an argument that looks like a place stays text. */
const PLACE = /\$ARGUMENTS(?:\[(\d{1,2})\]|(?![\w[]))|\$(\d)(?!\d)/g;

/**
 * Puts arguments into a text: `$ARGUMENTS` is all of them, `$1` and `$ARGUMENTS[0]` one. `$1` is the first, unless the
 * text uses `$0` or `$ARGUMENTS[`: then `$0` is. A text without any place gets them at its end.
 */
export function fillArguments(text: string, given: string): string {
	const words = splitWords(given);
	const first = /\$0(?!\d)|\$ARGUMENTS\[/.test(text) ? 0 : 1;
	const filled = text.replaceAll(PLACE, (_, inBrackets: string | undefined, digit: string | undefined) => {
		if (inBrackets !== undefined) return words[Number(inBrackets)] ?? "";
		return digit === undefined ? given : (words[Number(digit) - first] ?? "");
	});
	const isUsed = text.search(PLACE) >= 0;
	return isUsed || given.trim() === "" ? filled : `${filled.trimEnd()}\n\nARGUMENTS: ${given}`;
}

/** Words as a shell separates them: quotes hold together what is between them. */
function splitWords(given: string): readonly string[] {
	const words = given.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g);
	return [...words].map(([, double, single, plain]) => double ?? single ?? plain ?? "");
}
