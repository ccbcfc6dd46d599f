import type { AgentReport, AgentState } from "../../protocol/agent.ts";

/** What the transcript keeps of a result; the model reads all of it. */
const MAX_SUMMARY_CHARS = 2_000;

/** How a sub-agent's turn ended. */
export interface AgentEnd {
	readonly state: Exclude<AgentState, "running">;
	/** Its last message, or why there is none. */
	readonly text: string;
	readonly changedFiles: readonly string[];
}

/** A sub-agent as its parent's thread shows it from then on. */
export function withEnd(agent: AgentReport, { state, text, changedFiles }: AgentEnd): AgentReport {
	const summary = text.length <= MAX_SUMMARY_CHARS ? text : `${text.slice(0, MAX_SUMMARY_CHARS).toWellFormed()}…`;
	const files = changedFiles.length;
	return { ...agent, state, summary, ...(files > 0 && { changedFiles: files }) };
}

/** What the parent's model reads about it. */
export function describeEnd({ text, changedFiles }: AgentEnd): string {
	const files =
		changedFiles.length === 0 ? "" : `\n\nFiles it changed:\n${changedFiles.map((path) => `- ${path}`).join("\n")}`;
	return `${text}${files}`;
}
