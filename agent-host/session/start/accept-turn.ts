import type { TurnEnvelope } from "../../envelope/envelope.ts";
import { summarizeEnvelope } from "../../envelope/summary.ts";
import type { UserImage } from "../../history/history-item.ts";
import { describeObstacle, findObstacle } from "../../permissions/reach/may-run.ts";
import { HostError } from "../../protocol/errors.ts";
import { ItemId, type TurnId } from "../../protocol/ids.ts";
import type { ParsedParamsOf } from "../../protocol/method.ts";
import { asMessage, say } from "../../protocol/say.ts";
import type { PartialSettings } from "../../protocol/settings/settings.ts";
import type { DurableEvent } from "../../protocol/thread/events.ts";
import type { turnStart } from "../../protocol/thread/turn.ts";
import type { Json } from "../../store/records/merge-patch.ts";
import { titleFrom } from "../../store/records/replay.ts";
import type { Brought } from "../brought/brought.ts";
import { beginGoal } from "../goals/judge-goal.ts";
import type { Ports } from "../ports/ports.ts";
import type { Draft, LiveThread } from "../thread/live-thread.ts";
import { contractRecords, type ThreadContract } from "../thread/thread-contract.ts";
import { findRepeated } from "./find-repeated.ts";
import { loadImages, unseenImages } from "./load-images.ts";
import { envelopeRecords } from "./record-envelope.ts";
import { refuseClosedTexts } from "./refuse-closed-texts.ts";
import { type SealedTurn, type SealInputs, sealTurn } from "./seal-turn.ts";
import { listAttachments, promptTokens, readPrompt } from "./turn-input.ts";

type TurnParams = ParsedParamsOf<typeof turnStart>;

export interface AcceptedTurn extends Pick<SealedTurn, "envelope" | "seen"> {
	readonly prompt: string;
	readonly images: readonly UserImage[];
	readonly brought: Brought;
	/** The recorded envelope of the previous turn. */
	readonly before: Json | undefined;
	/** The unfinished turn in which the model has read the same prompt. */
	readonly repeats: TurnId | undefined;
}

/** Seals a turn and makes it durable with its input, or refuses it with nothing written. */
export async function acceptTurn(thread: LiveThread, params: TurnParams, inputs: SealInputs): Promise<AcceptedTurn> {
	if (thread.refusal !== undefined) throw thread.refusal;
	const prompt = readPrompt(params.input);
	const goal = params.goal && beginGoal(prompt, params.goal);
	const sealed = await sealTurn(thread.state(), { ...params.overrides, input: params.input, goal }, inputs);
	const { envelope, seen, problems, brought, askedEffort } = sealed;
	await refuseClosedTexts(params.input, envelope);
	const images = await loadImages(params.input, envelope);
	const tokens = promptTokens(prompt, images, envelope);
	if (tokens > envelope.identity.budgets.input) {
		throw new HostError(
			"input-refused",
			say("prompt-beyond-window", { tokens, most: envelope.identity.budgets.input }),
		);
	}
	const { turnId } = envelope.identity;
	const warnings = [
		...problems.map(
			(message): Draft => ({ kind: "event", event: { type: "warning", turnId, code: "instructions", message } }),
		),
		...warnAboutBrought(thread, brought, envelope),
		...unseenImages(turnId, images, envelope),
		...otherEffort(thread, askedEffort, envelope),
	];
	const before = thread.state().envelope;
	const repeats = findRepeated(thread.state(), params.repeats, { prompt, images });
	const about = { ...withClientId(params), ...(repeats && { repeats }) };
	await thread.commit(
		() => [
			...openingRecords(thread, sealed, titleFrom(prompt), about),
			...(goal === undefined ? [] : [{ kind: "event", event: { type: "goalChanged", goal } } as const]),
			...inputRecords(envelope, { ...params, prompt, images, repeats }, inputs.ports),
			...warnings,
		],
		"synced",
	);
	return { envelope, seen, prompt, images, brought, before, repeats };
}

/** Makes a turn durable that only compacts: it adds nothing to the conversation. */
export async function acceptCompaction(
	thread: LiveThread,
	settings: PartialSettings,
	inputs: SealInputs,
): Promise<SealedTurn> {
	if (thread.refusal !== undefined) throw thread.refusal;
	const sealed = await sealTurn(thread.state(), { settings }, inputs);
	await thread.commit(() => openingRecords(thread, sealed, "", { purpose: "compaction" }), "synced");
	return sealed;
}

/** Makes a turn durable that only runs a user's command, or refuses it with nothing written. */
export async function acceptUserCommand(
	thread: LiveThread,
	params: TurnParams,
	command: string,
	inputs: SealInputs,
): Promise<SealedTurn> {
	if (thread.refusal !== undefined) throw thread.refusal;
	const sealed = await sealTurn(thread.state(), params.overrides ?? {}, inputs);
	const { envelope } = sealed;
	const { policy, workspace } = envelope;
	// Without a folder no command runs either, whatever is trusted.
	if (workspace.cwd === undefined) {
		throw new HostError("input-refused", say("no-command-without-folder"));
	}
	if (!policy.value.commands) {
		throw new HostError("input-refused", say("no-command-when-restricted"));
	}
	const obstacle = policy.value.noSandbox === undefined ? undefined : findObstacle(policy.value);
	if (obstacle !== undefined) throw new HostError("input-refused", describeObstacle(obstacle));
	const about = { ...withClientId(params), purpose: "userCommand" } as const;
	await thread.commit(() => openingRecords(thread, sealed, titleFrom(`!${command}`), about), "synced");
	return sealed;
}

/** The warning that the model gets another effort than the settings ask for, once for each such pair. */
function otherEffort(thread: LiveThread, asked: string | undefined, { identity }: TurnEnvelope): readonly Draft[] {
	const { turnId, model, request } = identity;
	const used = request.reasoningEffort;
	const pair = `${model} ${asked}`;
	if (asked === undefined || used === asked || identity.provider === "demo" || thread.effortTold === pair) return [];
	thread.effortTold = pair;
	const said =
		used === undefined ? say("effort-unsupported", { model, asked }) : say("effort-nearest", { model, asked, used });
	return [{ kind: "event", event: { type: "warning", turnId, code: "effort", ...asMessage(said) } }];
}

/** What people bring along and cannot be used, each said once in a thread. */
function warnAboutBrought(thread: LiveThread, { problems }: Brought, { identity }: TurnEnvelope): readonly Draft[] {
	const { turnId } = identity;
	return problems
		.filter((message) => !thread.warned.has(message) && thread.warned.add(message))
		.map((message) => ({ kind: "event", event: { type: "warning", turnId, code: "customizations", message } }));
}

function withClientId({ clientId }: TurnParams): { readonly clientId?: string } {
	return clientId === undefined ? {} : { clientId };
}

/**
 * The start of a turn and its contract; for the first turn also the thread's header and title. Call it in the commit:
 * what the user has chosen for the thread since the turn was sealed stays.
 */
function openingRecords(
	thread: LiveThread,
	{ envelope, contract, from }: SealedTurn,
	title: string,
	about: Pick<Extract<DurableEvent, { type: "turnStarted" }>, "clientId" | "purpose" | "repeats">,
): readonly Draft[] {
	const { turnId } = envelope.identity;
	const started = { type: "turnStarted", turnId, envelope: summarizeEnvelope(envelope), ...about } as const;
	const state = thread.state();
	const isFirst = !state.written;
	const isChosenSince = state.settings !== from.settings || state.held !== from.held;
	const kept = isChosenSince ? [] : contractRecords(state, contract);
	return [
		...(isFirst ? [makeHeader(thread, contract, envelope)] : kept),
		...envelopeRecords(thread, envelope),
		...(isFirst ? [{ kind: "event", event: { type: "titleChanged", title } } as const] : []),
		{ kind: "event", event: started },
	];
}

function inputRecords(
	{ identity: { turnId } }: TurnEnvelope,
	{ prompt, images, input, repeats }: Pick<AcceptedTurn, "prompt" | "images" | "repeats"> & Pick<TurnParams, "input">,
	ports: Ports,
): readonly Draft[] {
	const id = ItemId.parse(ports.newId());
	const item = {
		kind: "userMessage",
		id,
		messageKind: "plain",
		text: prompt,
		...listAttachments(input, images),
	} as const;
	return [
		{ kind: "event", event: { type: "itemCompleted", turnId, item } },
		...(images.length === 0 || repeats !== undefined ? [] : [{ kind: "images" as const, turnId, items: [...images] }]),
	];
}

function makeHeader(thread: LiveThread, { held }: ThreadContract, { instructions }: TurnEnvelope): Draft {
	const { threadId, cwd, settings, source, agent } = thread.state();
	const baseInstructions = instructions.base;
	const optional = { ...(cwd === undefined ? {} : { cwd }), ...(agent && { agent }) };
	return { kind: "thread", threadId, ...optional, settings, held, baseInstructions, source };
}
