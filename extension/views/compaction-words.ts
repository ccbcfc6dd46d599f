import type { CompactionReport } from "../../agent-host/protocol/compaction.ts";

const OPEN = "<!--";
const CLOSE = "-->";
const MAX_LINE = 100;

/** The page on which a compaction is looked at and its summary changed: what it does, then the summary itself. */
export function renderPreview(report: CompactionReport): string {
	const { turns, before, after, verbatim, dropped, fallback } = report;
	const facts = [
		"Compaction preview. Nothing has changed yet.",
		`${turns === 1 ? "1 turn" : `${turns} turns`}: about ${count(before)} tokens become ${count(after)}.`,
		...(fallback === undefined ? [] : [`Why no other way: ${fallback}`]),
		"",
		"Stays word for word:",
		...list(
			verbatim.map(({ text, tokens, cut }) => `${headline(text)} (${count(tokens)} tokens${cut ? ", in part" : ""})`),
		),
		"",
		"The model no longer sees (but can recall):",
		...list(dropped.map(({ kind, count: items, tokens }) => `${items} × ${kind} (${count(tokens)} tokens)`)),
		"",
		report.summary === ""
			? "No summary is needed. Apply or discard with the buttons above."
			: "The summary below is yours to change. Apply or discard with the buttons above.",
	];
	return `${OPEN}\n${facts.map(harmless).join("\n")}\n${CLOSE}\n\n${report.summary}`;
}

/** The summary as the user left it, or undefined when it is the model's own. */
export function editedSummary(page: string, report: CompactionReport): string | undefined {
	const text = page.replaceAll("\r\n", "\n");
	const end = text.startsWith(OPEN) ? text.indexOf(`\n${CLOSE}`) : -1;
	const summary = (end < 0 ? text : text.slice(end + CLOSE.length + 1)).trim();
	return summary === report.summary.replaceAll("\r\n", "\n").trim() || summary === "" ? undefined : summary;
}

function list(lines: readonly string[]): readonly string[] {
	return lines.length === 0 ? ["- nothing"] : lines.map((line) => `- ${line}`);
}

function headline(text: string): string {
	const line = text.replaceAll(/\s+/g, " ").trim();
	return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE - 1)}…`;
}

// A quoted message must not end the comment it stands in.
function harmless(line: string): string {
	return line.replaceAll(CLOSE, "-- >");
}

function count(number: number): string {
	return Math.round(number).toLocaleString("en-US");
}
