/** The maximum length of a path. */
const MAX_CHARS = 4_096;

/** A name or a message from outside as data on one line: it cannot start a new line or grow without limit. */
export function oneLine(text: string): string {
	const spelled = text.replaceAll(
		// A backslash that would read as such an escape is escaped too, so that different texts stay different.
		/[\p{Cc}\p{Cs}\u2028\u2029]|\\(?=u[0-9a-f]{4})/gu,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
	return spelled.length <= MAX_CHARS ? spelled : `${spelled.slice(0, MAX_CHARS)}…`;
}
