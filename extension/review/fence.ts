/**
 * Text as a block of code that nothing in it can end: the fence is longer than any run of backticks or tildes in the text,
 * also one that is indented or stands within a line.
 */
export function fence(text: string, language: string): string {
	const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
	const fence = "`".repeat(longest + 1);
	// A name of a language that could end the line, or be read as an attribute, is left out.
	const name = /^[\w+#.-]{1,50}$/.test(language) ? language : "";
	return `\n${fence}${name}\n${text.replaceAll(/\r\n?|[\u2028\u2029]/g, "\n")}\n${fence}\n`;
}
