import { readCommandState } from "../../../agent-host/protocol/call-end.ts";
import type { CommandEnd } from "../../../agent-host/protocol/thread/item.ts";
import type { ToolEntry, ToolState } from "./entry.ts";

/** Result of a command tool as shown on its card. */
export interface CommandReport {
	readonly end: CommandEnd;
	/** Notes of the host. */
	readonly notes: readonly string[];
	readonly output: string;
}

/**
 * Built from the recorded facts only. Threads of older releases have none, so their text is shown as the model read it.
 */
export function readCommandReport(end: CommandEnd = {}, text: string): CommandReport {
	const { notes = [], outputFrom = 0 } = end;
	return { end, notes, output: text.slice(outputFrom <= text.length ? outputFrom : 0) };
}

/** A successful call may have run a command that failed. */
export function resolveStatus(
	status: ToolState,
	{ exitCode, signal, timedOut, stoppedBy }: CommandEnd = {},
): ToolState {
	const isCut = timedOut === true || stoppedBy === "protection" || stoppedBy === "limit";
	const isWell = (exitCode ?? 0) === 0 && signal === undefined && !isCut;
	return status === "completed" && !isWell ? "failed" : status;
}

const COMMAND_TOOLS: ReadonlySet<string> = new Set(["run_command", "write_command_input", "stop_command"]);

/** True if the call certainly left nothing that a user has to look at. */
export function isSettled({ name, status, command }: Pick<ToolEntry, "name" | "status" | "command">): boolean {
	if (resolveStatus(status, command) !== "completed" || (command?.refusedHosts?.length ?? 0) > 0) return false;
	const state = command && readCommandState(command);
	return state === undefined ? !COMMAND_TOOLS.has(name) : state !== "background";
}
