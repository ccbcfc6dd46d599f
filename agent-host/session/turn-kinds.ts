import type { TurnEnvelope } from "../envelope/envelope.ts";
import { clientFor } from "../model/client.ts";
import type { ParsedParamsOf } from "../protocol/method.ts";
import type { PartialSettings } from "../protocol/settings/settings.ts";
import type { turnStart } from "../protocol/thread/turn.ts";
import { createHostApprovals } from "./calls/host-approvals.ts";
import { previousModel } from "./compaction/previous-model.ts";
import { addHost, addReading, addRule, type Facts, layerSettings } from "./facts.ts";
import { learnEditorWindow, learnLoadedWindow } from "./models.ts";
import type { Parts } from "./parts.ts";
import { acceptCompaction, acceptTurn, acceptUserCommand } from "./start/accept-turn.ts";
import type { CompactionRequest } from "./thread/compaction-request.ts";
import type { LiveThread } from "./thread/live-thread.ts";
import type { ToolContext } from "./thread/running-turn.ts";
import { createSpending } from "./thread/spending.ts";
import { threadContract } from "./thread/thread-contract.ts";
import { NO_SNAPSHOTS } from "./tools/toolbox.ts";
import { runCompaction } from "./turn/run-compaction.ts";
import { runTurn } from "./turn/run-turn.ts";
import { runUserCommand } from "./turn/run-user-command.ts";

export type TurnParams = ParsedParamsOf<typeof turnStart>;

/** A durable turn, and how to run it to its end. */
export interface AcceptedWork {
	readonly envelope: TurnEnvelope;
	readonly run: (signal: AbortSignal, stop: () => void) => Promise<void>;
}

/** The kinds of turns: each makes a turn durable, or refuses it with nothing written. */
export const TURN_KINDS = { conversation, userCommand, compaction };

export type TurnKind = keyof typeof TURN_KINDS;

async function conversation(parts: Parts, thread: LiveThread, params: TurnParams): Promise<AcceptedWork> {
	const { facts, ports, recorder, changes } = parts;
	const { settings } = threadContract(thread.state(), facts);
	const inForce = layerSettings(settings, params.overrides?.settings);
	await learnEditorWindow(inForce, ports);
	await learnLoadedWindow(inForce, ports);
	const { envelope, prompt, images, before } = await acceptTurn(thread, params, parts.sealInputs);
	const { identity } = envelope;
	await parts.endBeyond.of(thread, envelope.policy.value);
	const model = recorder.watch(clientFor(identity, ports), envelope);
	const previous = previousModel(before, identity, ports);
	const snapshotter = changes.snapshotterFor(thread, envelope);
	const tools = parts.toolbox(thread, envelope, snapshotter);
	const spending = createSpending(envelope, thread.state(), ports);
	const hosts = createHostApprovals();
	recorder.begin(envelope, undefined, prompt);
	const turn = {
		thread,
		envelope,
		prompt,
		images,
		model,
		previous,
		tools,
		spending,
		ports,
		hosts,
		...readConsent(facts),
	};
	const reviewed = () => changes.review.due(thread);
	const atEnd = async () => {
		await hosts.close();
		await snapshotter.finish();
	};
	return { envelope, run: (signal, stop) => runTurn({ ...turn, reviewed, atEnd, signal, stop }) };
}

async function userCommand(
	parts: Parts,
	thread: LiveThread,
	{ params, command }: { readonly params: TurnParams; readonly command: string },
): Promise<AcceptedWork> {
	const { facts, ports, recorder } = parts;
	const envelope = await acceptUserCommand(thread, params, command, parts.sealInputs);
	await parts.endBeyond.of(thread, envelope.policy.value);
	const tools = parts.toolbox(thread, envelope, NO_SNAPSHOTS);
	recorder.begin(envelope, "userCommand");
	const turn = { thread, envelope, tools, ports, hosts: createHostApprovals(), ...readConsent(facts) };
	return { envelope, run: (signal, stop) => runUserCommand({ ...turn, signal, stop }, command) };
}

async function compaction(
	parts: Parts,
	thread: LiveThread,
	{ ask, settings = {} }: { readonly ask: CompactionRequest; readonly settings?: PartialSettings },
): Promise<AcceptedWork> {
	const { ports, recorder } = parts;
	const { envelope: before } = thread.state();
	const envelope = await acceptCompaction(thread, settings, parts.sealInputs);
	const model = recorder.watch(clientFor(envelope.identity, ports), envelope);
	const previous = previousModel(before, envelope.identity, ports);
	thread.compacted = undefined;
	const spending = createSpending(envelope, thread.state(), ports);
	recorder.begin(envelope, "compaction");
	const turn = { thread, envelope, model, previous, spending, ports };
	return { envelope, run: (signal) => runCompaction({ ...turn, signal }, ask) };
}

/** The user's current consent. */
function readConsent(facts: Facts): Pick<ToolContext, "isTrusted" | "addRule" | "addReading" | "addHost"> {
	return {
		isTrusted: () => facts.trusted,
		addRule: (rule) => addRule(facts, rule),
		addReading: (paths) => addReading(facts, paths),
		addHost: (rule) => addHost(facts, rule),
	};
}
