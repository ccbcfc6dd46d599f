/** As long as a path can be. */
const MAX_CHARS = 4_096;

/** A name or a message from outside, as data on one line: it can neither begin a line of its own nor grow without bound. */
export function oneLine(text: string): string {
	const spelled = text.replaceAll(
		/[\p{Cc}\u2028\u2029]/gu,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
	return spelled.length <= MAX_CHARS ? spelled : `${spelled.slice(0, MAX_CHARS)}…`;
}
