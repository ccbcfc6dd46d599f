/** A report as Markdown: a title and its parts. */
export function page(title: string, parts: readonly string[]): string {
	return `${[`# ${title}`, ...parts].join("\n\n")}\n`;
}

export function table([head = [], ...rows]: readonly (readonly string[])[]): string {
	const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
	return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
