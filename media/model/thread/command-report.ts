import type { CommandEnd } from "../../../agent-host/protocol/thread/item.ts";
import type { ToolEntry, ToolState } from "./entry.ts";

/** A result of the command tools as its card shows it. */
export interface CommandReport {
	readonly end: CommandEnd;
	/** What the host has to say besides. */
	readonly notes: readonly string[];
	readonly output: string;
}

/** From the recorded facts alone. Where a thread of an older release has none, the text is shown as the model read it. */
export function readCommandReport(end: CommandEnd = {}, text: string): CommandReport {
	const { notes = [], outputFrom = 0 } = end;
	return { end, notes, output: text.slice(outputFrom <= text.length ? outputFrom : 0) };
}

/** Older releases did not record the state itself; undefined when they recorded nothing of it at all. */
export function readCommandState({ state, exitCode, signal, timedOut, ...known }: CommandEnd): CommandEnd["state"] {
	if (state !== undefined) return state;
	if (exitCode !== undefined || signal !== undefined) return "ended";
	if (timedOut !== undefined) return "stopped";
	return Object.keys(known).length === 0 ? undefined : "background";
}

/** A call that went well may be a command that did not. */
export function resolveStatus(
	status: ToolState,
	{ exitCode, signal, timedOut, stoppedBy }: CommandEnd = {},
): ToolState {
	const isCut = timedOut === true || stoppedBy === "protection" || stoppedBy === "limit";
	const isWell = (exitCode ?? 0) === 0 && signal === undefined && !isCut;
	return status === "completed" && !isWell ? "failed" : status;
}

const COMMAND_TOOLS: ReadonlySet<string> = new Set(["run_command", "write_command_input", "stop_command"]);

/** Whether it is certain that a call left nothing behind that somebody has to look at. */
export function isSettled({ name, status, command }: Pick<ToolEntry, "name" | "status" | "command">): boolean {
	if (resolveStatus(status, command) !== "completed" || (command?.refusedHosts?.length ?? 0) > 0) return false;
	const state = command && readCommandState(command);
	return state === undefined ? !COMMAND_TOOLS.has(name) : state !== "background";
}
