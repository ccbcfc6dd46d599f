const MAX_CHARS = 2_000;

/** What a hover says, without what only a person can follow: links, pictures, rules and marks of code blocks. */
export function cleanHover(markdown: string): string {
	const text = markdown
		.replaceAll(/<img\s[^<>]*>/g, "")
		.replaceAll(/!\[([^\]]*)\]\([^)]*\)/g, "$1")
		.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
		.replaceAll(/^\s*(?:```.*|---+|\*\*\*+)$/gm, "")
		.replaceAll(/\n\s*\n+/g, "\n")
		.trim();
	return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
}
