import type { Fragment } from "../../context/fragment.ts";
import { userShellCommand } from "../../context/fragments/user-actions.ts";
import { asHistoryItem } from "../../history/history-item.ts";
import { HostError } from "../../protocol/errors.ts";
import { quote, say } from "../../protocol/say.ts";
import type { DurableEvent } from "../../protocol/thread/events.ts";
import type { CommandEnd } from "../../protocol/thread/item.ts";
import type { UserInput } from "../../protocol/thread/turn.ts";
import { runCommand } from "../../tools/run-command.ts";
import type { PreparedCall } from "../../tools/tool.ts";
import { runIfAllowed } from "../calls/run-if-allowed.ts";
import { type CallResult, runCall } from "../calls/run-tools.ts";
import { asContextUpdate } from "../thread/due-fragments.ts";
import { HOST_ENDED, type ToolContext } from "../thread/running-turn.ts";
import { describeFailure } from "./run-turn.ts";

/** The command that started the turn; undefined for a turn of the conversation. */
export function findUserCommand(input: readonly UserInput[]): string | undefined {
	const shell = input.find((part) => part.kind === "shell");
	if (shell === undefined) return undefined;
	if (input.length > 1) {
		throw new HostError("input-refused", say("own-command-alone"));
	}
	if (shell.command.trim() === "") throw new HostError("input-refused", say("own-command-empty"));
	return shell.command;
}

/**
 * Runs a user's command under the thread's policy. The model is told with its next request. `isTyped`: the user has just
 * typed it; else it is judged like a call of the model. Never rejects.
 */
export async function runUserCommand(turn: ToolContext, command: string, isTyped: boolean): Promise<void> {
	const { thread, envelope, ports } = turn;
	const { threadId, turnId } = envelope.identity;
	const outcome = await runRecorded(turn, command, isTyped);
	await turn.hosts.close();
	const event: DurableEvent = { type: "turnCompleted", turnId, ...outcome.end };
	const notice = outcome.notice === undefined ? [] : [outcome.notice];
	try {
		await thread.commit(
			[
				...notice.map((fragment) => ({ kind: "event", event: asContextUpdate(turnId, [fragment]) }) as const),
				{ kind: "items", turnId, items: notice.map(asHistoryItem) },
				{ kind: "event", event },
			],
			"synced",
		);
	} catch (unsaved) {
		ports.log("error", `The end of a command could not be recorded: ${unsaved}`);
		ports.publish(threadId, { at: ports.now(), event });
	}
}

interface UserCommandResult {
	/** What to tell the model; absent if the command did not run. */
	readonly notice?: Fragment;
	readonly end: Pick<Extract<DurableEvent, { type: "turnCompleted" }>, "status" | "error">;
}

async function runRecorded(turn: ToolContext, command: string, isTyped: boolean): Promise<UserCommandResult> {
	const { signal, ports } = turn;
	try {
		const result = await callCommand(turn, command, isTyped);
		const notice = result?.command && toFragment(command, result.text, result.command);
		return { ...(notice && { notice }), end: describeEnd(signal) };
	} catch (error) {
		ports.log("error", `A user command failed: ${error instanceof Error ? error.stack : error}`);
		return { end: { status: "failed", error: describeFailure(error) } };
	}
}

function describeEnd({ aborted, reason }: AbortSignal): UserCommandResult["end"] {
	if (!aborted) return { status: "completed" };
	return { status: "interrupted", ...(reason === HOST_ENDED ? { error: HOST_ENDED } : {}) };
}

function toFragment(command: string, output: string, { state, exitCode, signal }: CommandEnd): Fragment {
	const exit = state === "ended" ? String(exitCode ?? signal) : (state ?? "unknown");
	return userShellCommand.of({ command, exit, output });
}

async function callCommand(turn: ToolContext, command: string, isTyped: boolean): Promise<CallResult | undefined> {
	const callId = `user-${turn.ports.newId()}`;
	const call = { kind: "toolCall", callId, name: runCommand.name, arguments: JSON.stringify({ command }) } as const;
	const prepared = runCommand.prepare(call.arguments, turn.envelope.workspace.cwd ?? "/");
	if ("problem" in prepared) throw new HostError("input-refused", quote(prepared.problem));
	return runCall(turn, call, {
		kind: prepared.kind,
		title: prepared.title,
		by: "user",
		run: (show) => runIfAllowed(turn, call, isTyped ? markTyped(prepared) : prepared, show),
	});
}

/** Marked as typed: the user has already decided to run it. */
function markTyped(prepared: PreparedCall): PreparedCall {
	return {
		...prepared,
		look: async (ports) => {
			const found = await prepared.look(ports);
			const { access } = found;
			return access.kind === "command" ? { ...found, access: { ...access, typed: true } } : found;
		},
	};
}
