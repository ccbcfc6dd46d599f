import type { CompactionReport } from "../../agent-host/protocol/compaction.ts";

const OPEN = "<!--";
const CLOSE = "-->";
const MAX_LINE = 100;

/** What one item of a kind is called. */
const NAMES: Readonly<Record<string, string>> = {
	userMessage: "prompt",
	userImage: "image",
	agentMessage: "answer",
	reasoning: "thought",
	toolCall: "tool call",
	toolOutput: "tool result",
	sealedSummary: "sealed summary",
};

/** The page on which a compaction is looked at and its summary changed: what it does, then the summary itself. */
export function renderPreview(report: CompactionReport): string {
	const { turns, before, after, verbatim, dropped, fallback } = report;
	const facts = [
		"Compaction preview. Nothing has changed yet.",
		`${count(turns, "turn")}: about ${count(before, "token")} become ${count(after, "token")}.`,
		...(fallback === undefined ? [] : [`Why no other way: ${fallback}`]),
		"",
		"Stays word for word:",
		...list(
			verbatim.map(({ text, tokens, cut }) => `${headline(text)} (${count(tokens, "token")}${cut ? ", in part" : ""})`),
		),
		"",
		"The model no longer sees (what holds of it is told again, the rest it can recall):",
		...list(dropped.map(({ kind, count: items, tokens }) => `${nameOf(kind, items)} (${count(tokens, "token")})`)),
		"",
		`${aboutSummary(report)} Apply or discard with the buttons above.`,
	];
	return `${OPEN}\n${facts.map(harmless).join("\n")}\n${CLOSE}\n\n${report.summary}`;
}

function aboutSummary({ strategy, summary }: CompactionReport): string {
	if (summary !== "") return "The summary below is yours to change.";
	if (strategy === "remote")
		return "The model's server keeps the summary sealed; what you write below takes its place.";
	return "No summary is needed.";
}

/** The summary as the user left it, or undefined when it is the model's own. */
export function editedSummary(page: string, report: CompactionReport): string | undefined {
	const text = page.replaceAll("\r\n", "\n");
	const end = text.startsWith(OPEN) ? text.indexOf(`\n${CLOSE}`) : -1;
	const summary = (end < 0 ? text : text.slice(end + CLOSE.length + 1)).trim();
	return summary === report.summary.replaceAll("\r\n", "\n").trim() || summary === "" ? undefined : summary;
}

// The rest are fragments, such as the permissions: they have no number worth knowing.
function nameOf(kind: string, items: number): string {
	const name = NAMES[kind];
	return name === undefined ? kind.replaceAll("-", " ") : count(items, name);
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

function count(number: number, noun: string): string {
	const rounded = Math.round(number);
	return `${rounded.toLocaleString("en-US")} ${noun}${rounded === 1 ? "" : "s"}`;
}
