/**
 * Text as a code block that nothing in it can end: the fence is longer than any run of backticks or tildes in the text,
 * including indented ones and ones within a line.
 */
export function fence(text: string, language: string): string {
	const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
	const fence = "`".repeat(longest + 1);
	// A language name that could end the line or be read as an attribute is left out.
	const name = /^[\w+#.-]{1,50}$/.test(language) ? language : "";
	return `\n${fence}${name}\n${text.replaceAll(/\r\n?|[\u2028\u2029]/g, "\n")}\n${fence}\n`;
}
