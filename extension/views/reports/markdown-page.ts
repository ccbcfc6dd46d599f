/** A report as Markdown: a title and its parts. */
export function page(title: string, parts: readonly string[]): string {
	return `${[`# ${title}`, ...parts].join("\n\n")}\n`;
}

/** Text of somebody else as inline code, with a fence that the text cannot end. */
export function asCode(text: string): string {
	const line = text.replaceAll(/\s+/g, " ");
	const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
	const fence = "`".repeat(longest + 1);
	return longest === 0 ? `\`${line}\`` : `${fence} ${line} ${fence}`;
}

export function table([head = [], ...rows]: readonly (readonly string[])[]): string {
	const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
	return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
