import type { CommandEnd } from "../../agent-host/protocol/item.ts";
import type { ToolState } from "../transcript/entry.ts";

/** A result of the command tools, taken apart. Its first line is the host's; a command can only write below. */
export interface CommandReport {
	readonly end: CommandEnd;
	/** It goes on without the turn. */
	readonly isInBackground: boolean;
	/** What the host has to say besides. */
	readonly notes: readonly string[];
	readonly output: string;
}

export function readReport(text: string): CommandReport {
	const [first = "", ...rest] = text.split("\n");
	const end = endOf(first);
	const isInBackground = /^Still running after [\d.]+ s as process /.test(first);
	if (end === undefined && !isInBackground) return { end: {}, isInBackground: false, notes: [], output: text };
	const start = rest.indexOf("Output:");
	const notes = (start < 0 ? rest : rest.slice(0, start)).filter((note) => note !== "No output.");
	return { end: end ?? {}, isInBackground, notes, output: start < 0 ? "" : rest.slice(start + 1).join("\n") };
}

/** A call that went well may be a command that did not. */
export function statusOf(status: ToolState, { exitCode, signal, timedOut }: CommandEnd): ToolState {
	const isWell = (exitCode ?? 0) === 0 && signal === undefined && timedOut !== true;
	return status === "completed" && !isWell ? "failed" : status;
}

function endOf(line: string): CommandEnd | undefined {
	const [, code, signal] = /^Exit code (-?\d+)(?: \(ended by (\w+)\))? after [\d.]+ s\.$/.exec(line) ?? [];
	if (code !== undefined) return { exitCode: Number(code), ...(signal === undefined ? {} : { signal }) };
	if (!line.startsWith("Stopped with everything it had started")) return undefined;
	return { timedOut: line.includes("longer than its time limit") };
}
