import type { HookEffect } from "../../capabilities/hooks/read-answer.ts";
import type { Fragment } from "../../context/fragment.ts";
import { hookContext, hookPrompt } from "../../context/fragments/user-actions.ts";
import { asHistoryItem } from "../../history/history-item.ts";
import { asMessage, say } from "../../protocol/say.ts";
import { findHooks, runEndHooks, runHooks } from "../hooks/run-hooks.ts";
import { asContextUpdate } from "../thread/due-fragments.ts";
import type { Turn } from "../thread/running-turn.ts";

/** How often hooks can make a turn continue. */
const MAX_CONTINUATIONS = 3;

/** A hook does not let the prompt reach the model. */
export class PromptBlocked extends Error {}

/** Runs what comes before the model reads a prompt; what the hooks add is told after it. */
export async function submitPrompt(turn: Turn): Promise<readonly Fragment[]> {
	const { thread, prompt } = turn;
	const effects: (readonly [string, HookEffect])[] = [];
	if (thread.endSession === undefined) {
		effects.push(await runStartHooks(turn));
	}
	const { agent } = turn.envelope.identity;
	// A sub-agent's session is its parent's.
	thread.endSession = agent === undefined ? () => runEndHooks(turn) : async () => undefined;
	effects.push(["UserPromptSubmit", await runHooks(turn, "UserPromptSubmit", { prompt })]);
	for (const [, { block, stop }] of effects) if (block ?? stop) throw new PromptBlocked(block ?? stop);
	return effects.flatMap(([hook, { context }]) =>
		context === undefined ? [] : [hookContext.of({ hook, text: context })],
	);
}

async function runStartHooks(turn: Turn): Promise<readonly [string, HookEffect]> {
	const { agent } = turn.envelope.identity;
	if (agent !== undefined) return ["SubagentStart", await runHooks(turn, "SubagentStart", {}, agent.role)];
	const source = turn.thread.state().turnStarts.length > 1 ? "resume" : "startup";
	return ["SessionStart", await runHooks(turn, "SessionStart", { source }, source)];
}

/** The Stop hooks of one turn. */
export interface StopHooks {
	readonly areThere: () => boolean;
	/** Runs them, and records why the turn continues after its last response, if it does. */
	readonly continue: () => Promise<"continued" | "ends">;
}

export function createStopHooks(turn: Turn): StopHooks {
	const { thread, envelope } = turn;
	const { turnId, agent } = envelope.identity;
	const event = agent === undefined ? "Stop" : "SubagentStop";
	let continuations = 0;
	let before: string | undefined;
	const note = async (said: ReturnType<typeof say>): Promise<"ends"> => {
		const event = { type: "warning", turnId, code: "hook", ...asMessage(said) } as const;
		await thread.commit([{ kind: "event", event }], "unsynced");
		return "ends";
	};
	return {
		areThere: () => findHooks(turn, event).length > 0,
		async continue() {
			const { block, stop } = await runHooks(turn, event, { stop_hook_active: continuations > 0 }, agent?.role);
			if (block === undefined || stop !== undefined) return "ends";
			if (block === before) return note(say("stop-hook-repeats"));
			if (continuations >= MAX_CONTINUATIONS) return note(say("stop-hook-limit", { most: MAX_CONTINUATIONS }));
			continuations += 1;
			before = block;
			const fragment = hookPrompt.of({ hook: event, text: block });
			await thread.commit(
				[
					{ kind: "event", event: asContextUpdate(turnId, [fragment]) },
					{ kind: "items", turnId, items: [asHistoryItem(fragment)] },
				],
				"synced",
			);
			return "continued";
		},
	};
}
