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
	readonly prepareAgain: (rawArguments: string) => PreparedCall | { readonly problem: string } | undefined;
	/** Judges, asks and runs. `mustAsk`: why the user has to decide, if a hook wants that. */
	readonly run: (turn: ToolContext, prepared: PreparedCall) => Promise<ToolOutcome>;
}

/** Runs a call between its hooks. They can block it, have the user asked, or change what is then judged. */
export async function runHooked(
	turn: ToolContext,
	{ call, prepared, prepareAgain, run }: HookedCall,
): Promise<ToolOutcome> {
	const hasHooks = findHooks(turn, "PreToolUse").length + findHooks(turn, "PostToolUse").length > 0;
	if (!hasHooks) return run(turn, prepared);
	const about = { tool_name: call.name, tool_use_id: call.callId };
	const tool_input = describeToolInput(call.name, call.arguments);
	const before = await runHooks(turn, "PreToolUse", { ...about, tool_input }, call.name);
	if (before.stop !== undefined) return stopped(turn);
	if (before.block !== undefined) return refuse(`A hook blocked this call: ${before.block}`);
	const { updatedInput } = before;
	const changed = updatedInput === undefined ? prepared : prepareAgain(JSON.stringify(updatedInput));
	if (changed === undefined) return refuse("A hook changed this call to one of a tool that does not exist.");
	if ("problem" in changed) return refuse(`A hook changed this call. ${changed.problem}`);
	const outcome = await run(before.ask === undefined ? turn : { ...turn, mustAsk: before.ask }, changed);
	const tool_response = outcome.ok ? outcome.text : outcome.reason;
	const after = await runHooks(turn, "PostToolUse", { ...about, tool_input, tool_response }, call.name);
	if (after.stop !== undefined) return stopped(turn);
	const notes = [before.context, after.block, after.context].filter((text) => text !== undefined);
	return notes.length === 0 ? outcome : addNotes(outcome, call.name, notes);
}

/** The model reads what hooks say after what the call says. */
function addNotes(outcome: ToolOutcome, tool: string, notes: readonly string[]): ToolOutcome {
	const said = notes.map((text) => hookContext.of({ hook: tool, text }).text).join("\n");
	return outcome.ok
		? { ...outcome, text: `${outcome.text}\n${said}` }
		: { ok: false, reason: `${outcome.reason}\n${said}` };
}

function stopped(turn: ToolContext): never {
	turn.stop();
	throw new DOMException("A hook stopped the turn.", "AbortError");
}

function refuse(reason: string): ToolOutcome {
	return { ok: false, reason };
}
