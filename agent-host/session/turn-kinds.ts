import type { TurnEnvelope } from "../envelope/envelope.ts";
import { withBrought } from "../envelope/resolve-envelope.ts";
import { clientFor } from "../model/client.ts";
import type { TurnId } from "../protocol/ids.ts";
import type { ParsedParamsOf } from "../protocol/method.ts";
import type { PartialSettings, Settings } from "../protocol/settings/settings.ts";
import type { SpentSoFar } from "../protocol/thread/events.ts";
import type { turnStart } from "../protocol/thread/turn.ts";
import type { ThreadState } from "../store/records/thread-state.ts";
import { readableIn } from "../workspace/files/readable.ts";
import { listServersOff, switchOff } from "./brought/switch-off.ts";
import { createUseSkill } from "./brought/use-skill.ts";
import { createHostApprovals } from "./calls/host-approvals.ts";
import { previousModel } from "./compaction/previous-model.ts";
import { addHost, addReading, addRule, addServerTool, type Facts, layerSettings, readChoice } from "./facts.ts";
import { learnEditorWindow, learnLoadedWindow } from "./models.ts";
import type { Parts } from "./parts.ts";
import { acceptCompaction, acceptTurn, acceptUserCommand } from "./start/accept-turn.ts";
import { listSkills } from "./start/turn-input.ts";
import type { CompactionRequest } from "./thread/compaction-request.ts";
import type { Draft, LiveThread } from "./thread/live-thread.ts";
import type { ToolContext, TurnCustomizations } from "./thread/running-turn.ts";
import { createSpending, type Spending } from "./thread/spending.ts";
import { threadContract } from "./thread/thread-contract.ts";
import { createTouched } from "./thread/touched.ts";
import { NO_SNAPSHOTS } from "./tools/toolbox.ts";
import { runCompaction } from "./turn/run-compaction.ts";
import { runTurn } from "./turn/run-turn.ts";
import { runUserCommand } from "./turn/run-user-command.ts";

export type TurnParams = ParsedParamsOf<typeof turnStart>;

/** A durable turn, and how to run it to its end. */
export interface AcceptedWork {
	readonly envelope: TurnEnvelope;
	readonly spending?: Spending;
	/** What was chosen for this turn only. */
	readonly chosen?: PartialSettings | undefined;
	readonly run: (signal: AbortSignal, stop: () => void) => Promise<void>;
}

/** The kinds of turns: each makes a turn durable, or refuses it with nothing written. */
export const TURN_KINDS = { conversation, userCommand, compaction };

export type TurnKind = keyof typeof TURN_KINDS;

async function conversation(parts: Parts, thread: LiveThread, params: TurnParams): Promise<AcceptedWork> {
	const { facts, ports, recorder, changes, agents } = parts;
	const { settings } = threadContract(thread.state(), facts);
	const chosen = readChoice(params.overrides?.settings, facts);
	const inForce = layerSettings(settings, chosen);
	await learnEditorWindow(inForce, ports);
	await learnLoadedWindow(inForce, ports);
	const accepted = await acceptTurn(thread, params, parts.sealInputs);
	const { envelope, prompt, images, brought, before, repeats } = accepted;
	const { identity } = envelope;
	await parts.endBeyond.of(thread, envelope.policy.value);
	const model = recorder.watch(clientFor(identity, ports), envelope);
	const previous = previousModel(before, identity, ports);
	const snapshotter = changes.snapshotterFor(thread, accepted);
	const tools = parts.toolbox(thread, accepted, snapshotter);
	const parent = await agents.findParent(thread);
	const spending = createSpending(envelope, thread.state(), ports, {
		above: parent?.running?.spending,
		note: (soFar) => noteSpent(thread, identity.turnId, soFar),
	});
	const crew = agents.crewOf(thread);
	const hosts = createHostApprovals();
	recorder.begin(envelope, undefined, prompt);
	const turn = {
		thread,
		envelope,
		prompt,
		images,
		repeats,
		model,
		previous,
		tools,
		spending,
		ports,
		hosts,
		touched: createTouched(),
		skillsAsked: listSkills(params.input),
		agents: crew,
		runHook: parts.runHook,
		customizations: { ...parts.brings, unasked: brought.unasked, reseal: createReseal(parts, thread, inForce) },
		...readConsent(facts),
	};
	const reviewed = () => changes.review.due(thread);
	const atEnd = async () => {
		await crew.stopAll();
		await hosts.close();
		await snapshotter.finish();
	};
	return { envelope, spending, chosen, run: (signal, stop) => runTurn({ ...turn, reviewed, atEnd, signal, stop }) };
}

/** A sum that cannot be written now is part of the next record, and the work of a sub-agent does not depend on it. */
function noteSpent(thread: LiveThread, turnId: TurnId, soFar: () => SpentSoFar): Promise<void> {
	const draft = ({ openTurn }: ThreadState): readonly Draft[] =>
		openTurn?.turnId === turnId ? [{ kind: "spent", turnId, spent: soFar() }] : [];
	return thread.commit(draft, "unsynced").catch(() => undefined);
}

/** Looks again at what people bring along, once the user has agreed to some of it. */
function createReseal(
	{ brings, bind, sealInputs, agents }: Parts,
	thread: LiveThread,
	settings: Settings,
): TurnCustomizations["reseal"] {
	return async ({ envelope, tools }) => {
		const { workspace, policy } = envelope;
		const { cwd, roots, trusted } = workspace;
		const readable = readableIn(await bind(policy.value));
		const { off = [] } = envelope.capabilities;
		const brought = switchOff(await brings.observe({ cwd, roots, trusted, readable, settings }), off);
		// Only servers that the user has just agreed to are worth another look at the settings.
		const isNews = brought.servers.length > 0;
		const resealed = withBrought(envelope, {
			...{ skills: brought.skills, hooks: brought.hooks, agents: brought.agents },
			...(isNews && { servers: await sealInputs.observeServers(brought.servers, listServersOff(off)) }),
		});
		return {
			envelope: resealed,
			tools: {
				...tools,
				useSkill: createUseSkill(resealed.capabilities.skills, async () => readable),
				...agents.portsFor(thread, resealed, async () => readable),
				serverTools: resealed.capabilities.serverTools,
			},
		};
	};
}

async function userCommand(
	parts: Parts,
	thread: LiveThread,
	{ params, command, isTyped }: { readonly params: TurnParams; readonly command: string; readonly isTyped: boolean },
): Promise<AcceptedWork> {
	const { facts, ports, recorder } = parts;
	const accepted = await acceptUserCommand(thread, params, command, parts.sealInputs);
	const { envelope } = accepted;
	await parts.endBeyond.of(thread, envelope.policy.value);
	const tools = parts.toolbox(thread, accepted, NO_SNAPSHOTS);
	recorder.begin(envelope, "userCommand");
	const turn = {
		...{
			thread,
			envelope,
			tools,
			ports,
			hosts: createHostApprovals(),
			touched: createTouched(),
			runHook: parts.runHook,
		},
		...readConsent(facts),
	};
	return { envelope, run: (signal, stop) => runUserCommand({ ...turn, signal, stop }, command, isTyped) };
}

async function compaction(
	parts: Parts,
	thread: LiveThread,
	{ ask, settings = {} }: { readonly ask: CompactionRequest; readonly settings?: PartialSettings },
): Promise<AcceptedWork> {
	const { facts, ports, recorder, runHook } = parts;
	const { envelope: before } = thread.state();
	const accepted = await acceptCompaction(thread, settings, parts.sealInputs);
	const { envelope } = accepted;
	const model = recorder.watch(clientFor(envelope.identity, ports), envelope);
	const previous = previousModel(before, envelope.identity, ports);
	thread.compacted = undefined;
	const spending = createSpending(envelope, thread.state(), ports);
	recorder.begin(envelope, "compaction");
	const tools = parts.toolbox(thread, accepted, NO_SNAPSHOTS);
	const turn = { thread, envelope, model, previous, spending, tools, ports, runHook, ...readConsent(facts) };
	return { envelope, run: (signal) => runCompaction({ ...turn, signal }, ask) };
}

/** The user's current consent. */
function readConsent(
	facts: Facts,
): Pick<ToolContext, "isTrusted" | "addRule" | "addReading" | "addHost" | "addServerTool"> {
	return {
		isTrusted: () => facts.trusted,
		addRule: (rule) => addRule(facts, rule),
		addReading: (paths) => addReading(facts, paths),
		addHost: (rule) => addHost(facts, rule),
		addServerTool: (rule) => addServerTool(facts, rule),
	};
}
