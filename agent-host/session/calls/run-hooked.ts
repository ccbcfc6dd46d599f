import { describeToolInput } from "../../capabilities/hooks/write-input.ts";
import { hookContext } from "../../context/fragments/user-actions.ts";
import type { ToolCall } from "../../history/history-item.ts";
import type { PreparedCall } from "../../tools/tool.ts";
import type { ToolOutcome } from "../../tools/tool-ports.ts";
import { findHooks, runHooks } from "../hooks/run-hooks.ts";
import type { ToolContext } from "../thread/running-turn.ts";

export interface HookedCall {
	readonly call: ToolCall;
	readonly prepared: PreparedCall;
	/** The same call with other arguments. */
	readonly prepareAgain: (changed: ToolCall) => PreparedCall | { readonly problem: string } | undefined;
	/** Judges, asks and runs what the hooks have left of the call. `mustAsk`: why the user has to decide, if a hook wants that. */
	readonly run: (turn: ToolContext, prepared: PreparedCall, changed: ToolCall) => Promise<ToolOutcome>;
}

/** Runs a call between its hooks. They can block it, have the user asked, or change what is then judged. */
export async function runHooked(
	turn: ToolContext,
	{ call, prepared, prepareAgain, run }: HookedCall,
): Promise<ToolOutcome> {
	const hasHooks = findHooks(turn, "PreToolUse").length + findHooks(turn, "PostToolUse").length > 0;
	if (!hasHooks) return run(turn, prepared, call);
	const before = await runHooks(turn, "PreToolUse", describeCall(call), call.name);
	if (before.stop !== undefined) return stopped(turn);
	if (before.block !== undefined) return refuse(`A hook blocked this call: ${before.block}`);
	const { updatedInput } = before;
	const made = updatedInput === undefined ? call : { ...call, arguments: JSON.stringify(updatedInput) };
	const changed = updatedInput === undefined ? prepared : prepareAgain(made);
	if (changed === undefined) return refuse("A hook changed this call to one of a tool that does not exist.");
	if ("problem" in changed) return refuse(`A hook changed this call. ${changed.problem}`);
	const outcome = await run(before.ask === undefined ? turn : { ...turn, mustAsk: before.ask }, changed, made);
	const tool_response = outcome.ok ? outcome.text : outcome.reason;
	const after = await runHooks(turn, "PostToolUse", { ...describeCall(made), tool_response }, call.name);
	if (after.stop !== undefined) return stopped(turn);
	const change = updatedInput && `A hook changed the arguments of this call to ${cut(made.arguments)}`;
	const notes = [change, before.context, after.block, after.context].filter((text) => text !== undefined);
	return notes.length === 0 ? outcome : addNotes(outcome, call.name, notes);
}

/** A call for those of its hooks that run now. */
export function describeCall({ name, callId, arguments: rawArguments }: ToolCall) {
	return { tool_name: name, tool_use_id: callId, tool_input: describeToolInput(name, rawArguments) };
}

/** Limit for the changed arguments in what the model is told: those of a patch may be long. */
const MAX_SHOWN_CHARS = 2_000;

function cut(text: string): string {
	return text.length <= MAX_SHOWN_CHARS ? text : `${text.slice(0, MAX_SHOWN_CHARS).toWellFormed()}…`;
}

/** The model reads what hooks say after what the call says. */
function addNotes(outcome: ToolOutcome, tool: string, notes: readonly string[]): ToolOutcome {
	const said = notes.map((text) => hookContext.of({ hook: tool, text }).text).join("\n");
	return outcome.ok
		? { ...outcome, text: `${outcome.text}\n${said}` }
		: { ...outcome, reason: `${outcome.reason}\n${said}` };
}

function stopped(turn: ToolContext): never {
	turn.stop();
	throw new DOMException("A hook stopped the turn.", "AbortError");
}

function refuse(reason: string): ToolOutcome {
	return { ok: false, reason };
}
