import type { TurnEnvelope } from "../../envelope/envelope.ts";
import { sealEnvelope } from "../../envelope/resolve.ts";
import { summarizeEnvelope } from "../../envelope/summary.ts";
import type { UserImage } from "../../history/item.ts";
import { NO_TOKENS } from "../../history/usage.ts";
import { ModelFailure } from "../../model/port.ts";
import { resolveModel } from "../../model/resolve.ts";
import { isInside } from "../../permissions/reach.ts";
import { describeProblem, problemOf } from "../../permissions/sandbox-problem.ts";
import { HostError } from "../../protocol/errors.ts";
import type { DurableEvent } from "../../protocol/events.ts";
import { ItemId, TurnId } from "../../protocol/ids.ts";
import type { ParsedParamsOf } from "../../protocol/method.ts";
import type { PartialSettings } from "../../protocol/settings.ts";
import type { turnStart } from "../../protocol/turn.ts";
import type { Json } from "../../store/merge-patch.ts";
import { titleFrom } from "../../store/replay.ts";
import type { ThreadState } from "../../store/thread-state.ts";
import { TOOLS } from "../../tools/catalog.ts";
import { refuseClosedTexts } from "../closed-texts.ts";
import { type Facts, layerSettings } from "../facts.ts";
import type { SandboxWatch } from "../health/sandbox-watch.ts";
import { observe } from "../observe.ts";
import type { Ports } from "../ports/ports.ts";
import type { FullAccess } from "../thread/full-access.ts";
import type { Draft, LiveThread } from "../thread/live-thread.ts";
import {
	contractRecords,
	ONLY_READING,
	type ThreadContract,
	type ThreadFolder,
	threadContract,
} from "../thread/thread-contract.ts";
import { envelopeRecords } from "./record-envelope.ts";
import { loadImages } from "./turn-images.ts";
import { alongWith, editorStateOf, promptOf, promptTokens } from "./turn-input.ts";

type TurnParams = ParsedParamsOf<typeof turnStart>;

export interface AcceptedTurn {
	readonly envelope: TurnEnvelope;
	readonly prompt: string;
	readonly images: readonly UserImage[];
	/** The envelope of the turn before, as recorded. */
	readonly before: Json | undefined;
}

/** Seals a turn and makes it durable with its input, or refuses it with nothing written. */
export async function acceptTurn(thread: LiveThread, params: TurnParams, world: World): Promise<AcceptedTurn> {
	if (thread.refusal !== undefined) throw thread.refusal;
	const prompt = promptOf(params.input);
	const { envelope, contract, problems } = await sealTurn(
		thread.state(),
		{ ...params.overrides, input: params.input },
		world,
	);
	await refuseClosedTexts(params.input, envelope);
	const images = await loadImages(params.input, envelope);
	const tokens = promptTokens(prompt, images, envelope);
	if (tokens > envelope.identity.budgets.input) {
		throw new HostError(
			"input-refused",
			`The prompt has about ${tokens} tokens, more than this model's window has room for (${envelope.identity.budgets.input}). Put the text in a file and ask about it.`,
		);
	}
	const { turnId, model, abilities } = envelope.identity;
	const warnings = [
		...problems.map((message) => ({ code: "instructions", message })),
		...(images.length === 0 || abilities.images ? [] : [{ code: "images", message: unseen(model) }]),
	].map((warning): Draft => ({ kind: "event", event: { type: "warning", turnId, ...warning } }));
	const before = thread.state().envelope;
	const opening = openingRecords(thread, { envelope, contract }, titleFrom(prompt), clientOf(params));
	await thread.commit(
		[...opening, ...inputRecords(envelope, { ...params, prompt, images }, world.ports), ...warnings],
		"synced",
	);
	return { envelope, prompt, images, before };
}

function unseen(model: string): string {
	return `${model} cannot read images, as far as Vitrine knows; it is told that one was attached. Choose another model to show it.`;
}

/** Makes a turn durable that only compacts: it says nothing to the model. */
export async function acceptCompaction(
	thread: LiveThread,
	settings: PartialSettings,
	world: World,
): Promise<TurnEnvelope> {
	if (thread.refusal !== undefined) throw thread.refusal;
	const sealed = await sealTurn(thread.state(), { settings }, world);
	await thread.commit(openingRecords(thread, sealed, "", { purpose: "compaction" }), "synced");
	return sealed.envelope;
}

/** Makes a turn durable that only runs a command of the user's own, or refuses it with nothing written. */
export async function acceptUserCommand(
	thread: LiveThread,
	params: TurnParams,
	command: string,
	world: World,
): Promise<TurnEnvelope> {
	if (thread.refusal !== undefined) throw thread.refusal;
	const sealed = await sealTurn(thread.state(), params.overrides ?? {}, world);
	const { envelope } = sealed;
	const { policy, workspace } = envelope;
	if (!policy.value.commands) {
		throw new HostError("input-refused", "This workspace is not trusted (Restricted Mode), so no command runs.");
	}
	if (policy.value.noSandbox !== undefined) {
		throw new HostError("input-refused", describeProblem(problemOf(policy.value.noSandbox)));
	}
	if (workspace.cwd === undefined) {
		throw new HostError("input-refused", "No folder is open, so there is no place to run a command. Open one first.");
	}
	const about = { ...clientOf(params), purpose: "userCommand" } as const;
	await thread.commit(openingRecords(thread, sealed, titleFrom(`!${command}`), about), "synced");
	return envelope;
}

function clientOf({ clientId }: TurnParams): { readonly clientId?: string } {
	return clientId === undefined ? {} : { clientId };
}

/** A turn's envelope, and the contract of its thread that it was made from. */
interface SealedTurn {
	readonly envelope: TurnEnvelope;
	readonly contract: ThreadContract;
}

export interface World {
	readonly facts: Facts;
	readonly home: string;
	readonly ports: Ports;
	readonly full: FullAccess;
	readonly sandbox: Pick<SandboxWatch, "look" | "glance">;
}

type Overrides = NonNullable<TurnParams["overrides"]> & {
	readonly input?: TurnParams["input"];
};

/** The contract of a turn that would begin now. Reads the world and changes nothing. */
export async function sealTurn(
	recorded: ThreadState,
	overrides: Overrides,
	{ facts, home, ports, full, sandbox }: World,
): Promise<SealedTurn & { readonly problems: readonly string[] }> {
	const state = full.held(recorded);
	const contract = threadContract(state, facts);
	const folder = folderFor(contract, overrides.cwd, facts);
	const settings = layerSettings(contract.settings, overrides.settings, folder.isOpen ? undefined : ONLY_READING);
	const model = resolveModel(settings.model, ports.servers);
	if (model instanceof ModelFailure) throw new HostError("settings-refused", model.message);
	const { observed, problems } = await observe(facts, home, {
		folder,
		editor: editorStateOf(overrides.input ?? []),
		now: ports.now(),
		// Nothing is started for a workspace in which no command runs.
		sandbox: await (folder.trusted && folder.roots.length > 0 ? sandbox.look() : sandbox.glance()),
		settings,
	});
	const request = {
		threadId: state.threadId,
		turnId: TurnId.parse(ports.newId()),
		source: state.source,
		settings,
		model,
		// Frozen with the first turn.
		baseInstructions: (state.written ? "" : settings.instructions.base) || state.baseInstructions,
		usage: state.total ?? NO_TOKENS,
		outputSchema: overrides.outputSchema,
		tools: TOOLS,
	};
	return { envelope: sealEnvelope(request, observed), contract, problems };
}

/** Where the turn works: where its thread does, or in another folder that is open. */
function folderFor({ folder }: ThreadContract, cwd: string | undefined, { folders, trusted }: Facts): ThreadFolder {
	if (cwd === undefined) return folder;
	if (folders.some((open) => isInside(cwd, open))) return { cwd, roots: [...folders], isOpen: true, trusted };
	throw new HostError("settings-refused", `${cwd} is not inside an open workspace folder.`, { cwd });
}

/** That a turn has begun and what binds it; of the first one the thread's header and title, too. */
function openingRecords(
	thread: LiveThread,
	{ envelope, contract }: SealedTurn,
	title: string,
	about: Pick<Extract<DurableEvent, { type: "turnStarted" }>, "clientId" | "purpose">,
): readonly Draft[] {
	const { turnId } = envelope.identity;
	const started = { type: "turnStarted", turnId, envelope: summarizeEnvelope(envelope), ...about } as const;
	const isFirst = !thread.state().written;
	return [
		...(isFirst ? [headerOf(thread, contract, envelope)] : contractRecords(thread.state(), contract)),
		...envelopeRecords(thread, envelope),
		...(isFirst ? [{ kind: "event", event: { type: "titleChanged", title } } as const] : []),
		{ kind: "event", event: started },
	];
}

function inputRecords(
	{ identity: { turnId } }: TurnEnvelope,
	{ prompt, images, input }: Pick<AcceptedTurn, "prompt" | "images"> & Pick<TurnParams, "input">,
	ports: Ports,
): readonly Draft[] {
	const id = ItemId.parse(ports.newId());
	const item = { kind: "userMessage", id, messageKind: "plain", text: prompt, ...alongWith(input, images) } as const;
	return [
		{ kind: "event", event: { type: "itemCompleted", turnId, item } },
		...(images.length === 0 ? [] : [{ kind: "images" as const, turnId, items: [...images] }]),
	];
}

function headerOf(thread: LiveThread, { held }: ThreadContract, { instructions }: TurnEnvelope): Draft {
	const { threadId, cwd, settings, source } = thread.state();
	const baseInstructions = instructions.base;
	return { kind: "thread", threadId, ...(cwd === undefined ? {} : { cwd }), settings, held, baseInstructions, source };
}
