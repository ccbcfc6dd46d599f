import type { AgentReport, AgentState } from "../../protocol/agent.ts";

/** What the transcript keeps of a result; the model reads all of it. */
const MAX_SUMMARY_CHARS = 2_000;

/** How a sub-agent's turn ended. */
export interface AgentEnd {
	readonly state: Exclude<AgentState, "running">;
	/** Its last message, or why there is none. */
	readonly text: string;
	/** The paths of the first ones; `files` counts all. */
	readonly changed: { readonly files: number; readonly paths: readonly string[] };
}

export const NOTHING_CHANGED: AgentEnd["changed"] = { files: 0, paths: [] };

/** A sub-agent as its parent's thread shows it from then on. */
export function withEnd(agent: AgentReport, { state, text, changed: { files } }: AgentEnd): AgentReport {
	const summary = text.length <= MAX_SUMMARY_CHARS ? text : `${text.slice(0, MAX_SUMMARY_CHARS).toWellFormed()}…`;
	return { ...agent, state, summary, ...(files > 0 && { changedFiles: files }) };
}

/** What the parent's model reads about it. */
export function describeEnd({ text, changed: { files, paths } }: AgentEnd): string {
	if (files === 0) return text;
	const more = files > paths.length ? [`and ${files - paths.length} more`] : [];
	return [text, "", "Files it changed:", ...[...paths, ...more].map((line) => `- ${line}`)].join("\n");
}
