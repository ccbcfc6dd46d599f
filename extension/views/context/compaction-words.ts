import type { CompactionReport } from "../../../agent-host/protocol/thread/compaction.ts";
import { sayHost } from "../../../l10n/host-words.ts";
import { countOf, type Message, t } from "../../../l10n/t.ts";

const OPEN = "<!--";
const CLOSE = "-->";
const MAX_LINE = 100;

/** Display names of item kinds. */
const NAMES: Readonly<Record<string, readonly [one: Message, more: Message]>> = {
	userMessage: ["{0} prompt", "{0} prompts"],
	userImage: ["{0} image", "{0} images"],
	agentMessage: ["{0} answer", "{0} answers"],
	reasoning: ["{0} thought", "{0} thoughts"],
	toolCall: ["{0} tool call", "{0} tool calls"],
	toolOutput: ["{0} tool result", "{0} tool results"],
	sealedSummary: ["{0} encrypted summary", "{0} encrypted summaries"],
};

/** The preview document of a compaction: what it does, then the summary. */
export function renderPreview(report: CompactionReport): string {
	const { turns, before, after, verbatim, dropped, fallback, fallbackSaid } = report;
	const facts = [
		t("Compaction preview. Nothing has changed yet."),
		t("{0}: about {1} → {2}", countOf(turns, "{0} turn", "{0} turns"), formatTokens(before), formatTokens(after)),
		...(fallback === undefined ? [] : [t("Fallback used: {0}", sayHost({ message: fallback, ...fallbackSaid }))]),
		"",
		t("Kept verbatim:"),
		...list(
			verbatim.map(
				({ text, tokens, cut }) =>
					`${toHeadline(text)} (${cut ? t("{0}, in part", formatTokens(tokens)) : formatTokens(tokens)})`,
			),
		),
		"",
		t("No longer sent (still searchable by the model; current settings are sent again):"),
		...list(dropped.map(({ kind, count: items, tokens }) => `${describeItems(kind, items)} (${formatTokens(tokens)})`)),
		"",
		`${describeSummary(report)} ${t("Apply or discard it with the buttons above.")}`,
	];
	return `${OPEN}\n${facts.map(escapeCommentEnd).join("\n")}\n${CLOSE}\n\n${report.summary}`;
}

function describeSummary({ strategy, summary }: CompactionReport): string {
	if (summary !== "") return t("You can edit the summary below.");
	if (strategy === "remote")
		return t("The model's server keeps its summary encrypted. Text you write below replaces it.");
	return t("No summary is needed.");
}

/** The summary as edited by the user; undefined if unchanged. */
export function readEditedSummary(page: string, report: CompactionReport): string | undefined {
	const text = page.replaceAll("\r\n", "\n");
	const end = text.startsWith(OPEN) ? text.indexOf(`\n${CLOSE}`) : -1;
	const summary = (end < 0 ? text : text.slice(end + CLOSE.length + 1)).trim();
	return summary === report.summary.replaceAll("\r\n", "\n").trim() || summary === "" ? undefined : summary;
}

// The rest are fragments, such as the permissions; their number is not interesting.
function describeItems(kind: string, items: number): string {
	const name = NAMES[kind];
	return name === undefined ? kind.replaceAll("-", " ") : countOf(items, ...name);
}

function list(lines: readonly string[]): readonly string[] {
	return lines.length === 0 ? [`- ${t("nothing")}`] : lines.map((line) => `- ${line}`);
}

function toHeadline(text: string): string {
	const line = text.replaceAll(/\s+/g, " ").trim();
	return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE - 1)}…`;
}

// A quoted message must not end the surrounding comment.
function escapeCommentEnd(line: string): string {
	return line.replaceAll(CLOSE, "-- >");
}

function formatTokens(tokens: number): string {
	return countOf(Math.round(tokens), "{0} token", "{0} tokens");
}
