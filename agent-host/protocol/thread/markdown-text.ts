/**
 * Text of somebody else on one line of a page. A preview fetches images and shows HTML, so nothing of it becomes an
 * image, a link, HTML, a formula, code or a heading.
 */
export function asPlain(text: string): string {
	return text
		.replaceAll(/\s+/g, " ")
		.trim()
		.replaceAll(/[\\`*_[\]<&~$]|^[#>+-]/g, "\\$&");
}

/**
 * Markdown of somebody else as a part of a page: its headings are below the part's own, and it ends no later than the part,
 * also if it was cut off within code. Code stays as it is.
 */
export function fitBelow(level: number, text: string): string {
	let fence: string | undefined;
	const lines: string[] = [];
	for (const line of text.split("\n")) {
		const [, mark, info = ""] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
		const isInCode = fence !== undefined;
		if (fence === undefined) fence = mark?.startsWith("`") && info.includes("`") ? undefined : mark;
		else if (mark?.startsWith(fence) && info.trim() === "") fence = undefined;
		if (isInCode || fence !== undefined) lines.push(line);
		else pushLine(lines, line, level);
	}
	return [...lines, ...(fence === undefined ? [] : [fence])].join("\n");
}

const MAX_LEVEL = 6;

function pushLine(lines: string[], line: string, level: number): void {
	const [, marks, rest = ""] = /^ {0,3}(#{1,6})([ \t].*|)$/.exec(line) ?? [];
	const above = lines.at(-1) ?? "";
	const underline = /^ {0,3}(=+|-+)[ \t]*$/.exec(line)?.[1];
	if (marks !== undefined) lines.push(`${asMarks(marks.length + level)}${rest}`);
	// A heading that is underlined: only a single line of text can be one.
	else if (underline !== undefined && /^ {0,3}[^\s#>|`~*+-]/.test(above) && (lines.at(-2) ?? "").trim() === "")
		lines.splice(-1, 1, `${asMarks((underline.startsWith("=") ? 1 : 2) + level)} ${above.trim()}`);
	else lines.push(line);
}

function asMarks(level: number): string {
	return "#".repeat(Math.min(MAX_LEVEL, level));
}
