import type { Span } from "../../../agent-host/protocol/host/telemetry.ts";

/** Lines of one report. */
const MAX_LINES = 500;

/** Labels that hold what was said, or name the user's own server. */
const PRIVATE = ["gen_ai.input.messages", "gen_ai.output.messages", "server.address", "server.port"];

/** A span as it may stand in a report for others, whatever the user wants in traces of their own. */
export function withoutWords(span: Span): Span {
	const kept = Object.entries(span.attributes).filter(([name]) => !PRIVATE.includes(name));
	return { ...span, attributes: Object.fromEntries(kept) };
}

/** What turns spent their time on, one line each, the parts of a turn below it; the newest when there are too many. */
export function formatTrace(spans: readonly Span[]): readonly string[] {
	if (spans.length === 0) return ["none since this host began"];
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
