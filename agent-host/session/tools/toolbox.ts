import type { TurnEnvelope } from "../../envelope/envelope.ts";
import { createReadLog, type ReadLog } from "../../patch/read-log.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import type { Processes } from "../../sandbox/command/processes.ts";
import type { ToolPorts } from "../../tools/tool.ts";
import type { Patcher } from "../../workspace/apply/patcher.ts";
import type { BindPolicy } from "../../workspace/files/bind-policy.ts";
import type { RunRipgrep } from "../../workspace/files/search.ts";
import type { Snapshotter } from "../changes/snapshot-before-change.ts";
import type { Facts } from "../facts.ts";
import type { Ports } from "../ports/ports.ts";
import type { LiveThread } from "../thread/live-thread.ts";
import { createCommandPorts } from "./command-ports.ts";
import { createToolPorts } from "./file-ports.ts";
import { createPatchPorts } from "./patch-ports.ts";
import { createRecall } from "./recall-ports.ts";

/** All effects of a turn's tools, bound to the policy it was sealed with. */
export type Toolbox = (
	thread: LiveThread,
	envelope: TurnEnvelope,
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
	readonly environment: Readonly<Record<string, string | undefined>>;
	readonly facts: Facts;
	readonly ports: Ports;
	readonly bind: BindPolicy;
	readonly toolServers: Pick<ToolPorts, "callServer">;
}): Toolbox {
	const { patcher, ripgrep, processes, environment, facts, ports, bind, toolServers } = options;
	/** What each thread's model has read. */
	const known = new Map<ThreadId, ReadLog>();
	return (thread, envelope, snapshotter) => {
		const { identity, policy } = envelope;
		const reads = known.get(identity.threadId) ?? createReadLog();
		known.set(identity.threadId, reads);
		reads.startTurn();
		// Once per turn: links that are changed meanwhile cannot widen it.
		const binding = bind(policy.value);
		binding.catch(() => undefined);
		const bound = () => binding;
		const { documents } = ports;
		const patches = createPatchPorts({ patcher, bound, documents, reads, snapshot: snapshotter.beforePatch });
		return {
			...createToolPorts(bound, ripgrep, facts.documents, { patches, reads }),
			...snapshotter.watching(createCommandPorts(envelope, bound, processes, environment)),
			callServer: toolServers.callServer,
			recall: createRecall(thread, identity.budgets.recall),
		};
	};
}
