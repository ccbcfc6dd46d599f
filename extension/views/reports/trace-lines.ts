import type { Span } from "../../../agent-host/protocol/host/telemetry.ts";

/** Maximum number of lines in a report. */
const MAX_LINES = 500;

/** Labels that contain messages or name the user's server. */
const PRIVATE = ["gen_ai.input.messages", "gen_ai.output.messages", "server.address", "server.port"];

/** Removes private labels from a span for a report, whatever the user allows in their own traces. */
export function withoutPrivateLabels(span: Span): Span {
	const kept = Object.entries(span.attributes).filter(([name]) => !PRIVATE.includes(name));
	return { ...span, attributes: Object.fromEntries(kept) };
}

/** One line per span, parts of a turn below it; only the newest if there are too many. */
export function formatTrace(spans: readonly Span[]): readonly string[] {
	if (spans.length === 0) return ["none since this host started"];
	return spans.map(formatSpan).slice(-MAX_LINES);
}

function formatSpan({ parentId, name, startMs, endMs, attributes, error }: Span): string {
	const took = endMs === undefined ? "still running" : `${Math.round(endMs - startMs)} ms`;
	const labels = Object.entries(attributes)
		.filter(([label]) => !label.startsWith("gen_ai.operation"))
		.map(([label, value]) => `${label.replace(/^(?:gen_ai|vitrine)\./, "")}=${value}`);
	const indent = parentId === undefined ? "- " : "  - ";
	const when = parentId === undefined ? `${new Date(startMs).toISOString()} ` : "";
	return `${indent}${when}${name}: ${took}${error === undefined ? "" : `, ${error}`} (${labels.join(", ")})`;
}
