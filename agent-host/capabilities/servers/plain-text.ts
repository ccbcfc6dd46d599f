/** Characters that hide something or change how others look; text from a server needs none of them. */
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** A server's text without control, bidirectional and invisible characters, and not longer than that. */
export function plainText(text: string, chars: number): string {
	const plain = text
		.slice(0, 2 * chars)
		.replaceAll(HIDDEN, "")
		.trim();
	return plain.length <= chars ? plain : `${plain.slice(0, chars).toWellFormed()}…`;
}
