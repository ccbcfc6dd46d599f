/** As long as a path can be. */
const MAX_CHARS = 4_096;

/** A name or a message from outside, as data on one line: it can neither begin a line of its own nor grow without bound. */
export function oneLine(text: string): string {
	const spelled = text.replaceAll(
		// A backslash that would read as one of these is spelled, too: no two texts come out the same.
		/[\p{Cc}\p{Cs}\u2028\u2029]|\\(?=u[0-9a-f]{4})/gu,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
	return spelled.length <= MAX_CHARS ? spelled : `${spelled.slice(0, MAX_CHARS)}…`;
}
