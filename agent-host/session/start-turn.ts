import type { TurnEnvelope } from "../envelope/envelope.ts";
import { sealEnvelope } from "../envelope/resolve.ts";
import { summarizeEnvelope } from "../envelope/summary.ts";
import { estimateTokens } from "../history/tokens.ts";
import { ModelFailure } from "../model/port.ts";
import { resolveModel } from "../model/resolve.ts";
import { HostError } from "../protocol/errors.ts";
import { ItemId, TurnId } from "../protocol/ids.ts";
import type { ParsedParamsOf } from "../protocol/method.ts";
import { MAX_INPUT_CHARS, type turnStart } from "../protocol/turn.ts";
import { createMergePatch, type Json } from "../store/merge-patch.ts";
import { titleFrom } from "../store/replay.ts";
import { TOOLS } from "../tools/catalog.ts";
import { type Facts, layerSettings } from "./facts.ts";
import type { Draft, LiveThread } from "./live-thread.ts";
import { observe } from "./observe.ts";
import type { Ports } from "./ports.ts";

export interface AcceptedTurn {
	readonly envelope: TurnEnvelope;
	readonly prompt: string;
}

/** Seals a turn and makes it durable with its input, or refuses it with nothing written. */
export async function acceptTurn(
	thread: LiveThread,
	params: ParsedParamsOf<typeof turnStart>,
	facts: Facts,
	ports: Ports,
): Promise<AcceptedTurn> {
	if (thread.refusal !== undefined) throw thread.refusal;
	const prompt = promptOf(params.input);
	const envelope = sealTurn(thread, params, facts, ports);
	const tokens = estimateTokens(prompt);
	if (tokens > envelope.identity.budgets.input) {
		throw new HostError(
			"input-refused",
			`The prompt has about ${tokens} tokens, more than this model's window has room for (${envelope.identity.budgets.input}). Put the text in a file and ask about it.`,
		);
	}
	await thread.commit(openingRecords(thread, envelope, prompt, ports), "synced");
	return { envelope, prompt };
}

function sealTurn(
	thread: LiveThread,
	params: ParsedParamsOf<typeof turnStart>,
	facts: Facts,
	ports: Ports,
): TurnEnvelope {
	const state = thread.state();
	const settings = layerSettings(facts.settings, state.settings, params.overrides?.settings);
	const model = resolveModel(settings.model);
	if (model instanceof ModelFailure) throw new HostError("settings-refused", model.message);
	const folder = { threadCwd: state.cwd, turnCwd: params.overrides?.cwd };
	return sealEnvelope(
		{
			threadId: state.threadId,
			turnId: TurnId.parse(ports.newId()),
			settings,
			model,
			baseInstructions: state.baseInstructions,
			tools: TOOLS,
		},
		observe(facts, folder, ports.now()),
	);
}

function promptOf(input: ParsedParamsOf<typeof turnStart>["input"]): string {
	const prompt = input.map((part) => part.text).join("\n\n");
	if (prompt.trim() === "") throw new HostError("input-refused", "The prompt is empty. Type a question or a task.");
	if (prompt.length > MAX_INPUT_CHARS) {
		throw new HostError(
			"input-refused",
			`The prompt has ${prompt.length} characters; the limit is ${MAX_INPUT_CHARS}. Put the text in a file and ask about it.`,
		);
	}
	return prompt;
}

function openingRecords(thread: LiveThread, envelope: TurnEnvelope, prompt: string, ports: Ports): readonly Draft[] {
	const state = thread.state();
	const { turnId } = envelope.identity;
	const id = ItemId.parse(ports.newId());
	const item = { kind: "userMessage", id, messageKind: "plain", text: prompt } as const;
	const isFirst = state.turns === 0;
	return [
		...(isFirst ? [headerOf(thread)] : []),
		{ kind: "envelope", turnId, patch: createMergePatch(state.envelope, withoutFixedTexts(envelope)) ?? {} },
		...(isFirst ? [{ kind: "event", event: { type: "titleChanged", title: titleFrom(prompt) } } as const] : []),
		{ kind: "event", event: { type: "turnStarted", turnId, envelope: summarizeEnvelope(envelope) } },
		{ kind: "event", event: { type: "itemCompleted", turnId, item } },
	];
}

// The base instructions are the header's; a JSON round trip leaves out what is undefined.
function withoutFixedTexts(envelope: TurnEnvelope): Json {
	const { instructions: _, ...rest } = envelope;
	return JSON.parse(JSON.stringify(rest));
}

function headerOf(thread: LiveThread): Draft {
	const { threadId, cwd, settings, baseInstructions } = thread.state();
	return { kind: "thread", threadId, ...(cwd === undefined ? {} : { cwd }), settings, baseInstructions };
}
