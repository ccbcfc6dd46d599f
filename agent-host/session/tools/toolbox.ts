import type { TurnEnvelope } from "../../envelope/envelope.ts";
import { createReadLog } from "../../patch/read-log.ts";
import type { Policy } from "../../permissions/policy/policy.ts";
import type { Processes } from "../../sandbox/command/processes.ts";
import type { HarmfulPlaces } from "../../sandbox/protect/harmful-places.ts";
import { protectFromEdits } from "../../sandbox/protect/version-control.ts";
import type { AgentPorts } from "../../tools/agent-call.ts";
import type { ToolPorts } from "../../tools/tool-ports.ts";
import type { Patcher } from "../../workspace/apply/patcher.ts";
import type { BindPolicy } from "../../workspace/files/bind-policy.ts";
import { type Readable, readableIn } from "../../workspace/files/readable.ts";
import type { RunRipgrep } from "../../workspace/files/search.ts";
import { createUseSkill } from "../brought/use-skill.ts";
import type { Snapshotter } from "../changes/snapshot-before-change.ts";
import type { Facts } from "../facts.ts";
import type { Ports } from "../ports/ports.ts";
import type { SealedTurn } from "../start/seal-turn.ts";
import { byThread } from "../thread/by-thread.ts";
import type { LiveThread } from "../thread/live-thread.ts";
import { createCommandPorts } from "./command-ports.ts";
import { createToolPorts } from "./file-ports.ts";
import { createLanguagePorts } from "./language-ports.ts";
import { createPatchPorts } from "./patch-ports.ts";
import { createRecall } from "./recall-ports.ts";
import { createRefuseOpening } from "./refuse-opening.ts";
import { createFetchPage } from "./web-ports.ts";

/** All effects of a turn's tools, bound to the policy it was sealed with. */
export type Toolbox = (
	thread: LiveThread,
	sealed: Pick<SealedTurn, "envelope" | "seen">,
	snapshotter: Pick<Snapshotter, "beforePatch" | "watching">,
) => ToolPorts;

/** Takes no snapshots: the user's own changes are not reviewed. */
export const NO_SNAPSHOTS: Parameters<Toolbox>[2] = {
	beforePatch: async () => async () => undefined,
	watching: (commands) => commands,
};

export function createToolbox(options: {
	readonly patcher: Patcher;
	readonly ripgrep: RunRipgrep | undefined;
	readonly processes: Processes;
	readonly threads: () => readonly LiveThread[];
	readonly environment: Readonly<Record<string, string | undefined>>;
	readonly facts: Facts;
	readonly ports: Ports;
	readonly bind: BindPolicy;
	readonly places: HarmfulPlaces;
	readonly toolServers: Pick<ToolPorts, "callServer" | "readServerPrompt">;
	readonly agentPorts: (thread: LiveThread, envelope: TurnEnvelope, readable: () => Promise<Readable>) => AgentPorts;
}): Toolbox {
	const { patcher, ripgrep, processes, threads, environment, facts, ports, bind, places, toolServers, agentPorts } =
		options;
	/** What each thread's model has read. */
	const readsOf = byThread(createReadLog);
	return (thread, { envelope, seen }, snapshotter) => {
		const { identity, policy } = envelope;
		const reads = readsOf(identity.threadId);
		reads.startTurn();
		// Once per turn: links that are changed meanwhile cannot widen it.
		const binding = bind(policy.value, seen);
		binding.catch(() => undefined);
		const bound = () => binding;
		let guarding: Promise<Policy> | undefined;
		// Looks through all folders, so only once something is to be edited.
		const forEdits = (): Promise<Policy> => {
			guarding ??= bound().then((policy) => protectFromEdits(policy, places));
			return guarding;
		};
		const readable = async () => readableIn(await bound());
		const { documents } = ports;
		const refuseOpening = createRefuseOpening({
			states: () => threads().map((one) => one.state()),
			policy: policy.value,
			documents,
		});
		const patches = createPatchPorts({ patcher, bound: forEdits, documents, reads, snapshot: snapshotter.beforePatch });
		const files = createToolPorts(bound, ripgrep, facts.documents, documents, { patches, reads });
		const { editor, setTimer } = ports;
		const language = facts.knowsLanguages
			? createLanguagePorts({ bound, editor, setTimer, peek: files.peek, refuseOpening })
			: undefined;
		return {
			...files,
			editPolicy: forEdits,
			language,
			...snapshotter.watching(createCommandPorts(envelope, bound, processes, environment)),
			serverTools: envelope.capabilities.serverTools,
			callServer: toolServers.callServer,
			readServerPrompt: toolServers.readServerPrompt,
			fetchPage: createFetchPage(policy.value.network),
			// A call of a turn has its own (run-if-allowed.ts).
			askUser: async () => ({ state: "unavailable" }),
			useSkill: createUseSkill(envelope.capabilities.skills, readable),
			...agentPorts(thread, envelope, readable),
			recall: createRecall(thread, identity.budgets.recall),
		};
	};
}
