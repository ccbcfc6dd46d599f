import type { TurnEnvelope } from "../../envelope/envelope.ts";
import { createReadLog, type ReadLog } from "../../patch/read-log.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import type { Processes } from "../../sandbox/command/processes.ts";
import type { ToolPorts } from "../../tools/tool.ts";
import type { Patcher } from "../../workspace/apply/patcher.ts";
import type { BindPolicy } from "../../workspace/files/bind-policy.ts";
import type { RunRipgrep } from "../../workspace/files/search.ts";
import type { Keeper } from "../changes/snapshot-before-change.ts";
import type { Facts } from "../facts.ts";
import type { Ports } from "../ports/ports.ts";
import type { LiveThread } from "../thread/live-thread.ts";
import { createCommandPorts } from "./command-ports.ts";
import { createToolPorts } from "./file-ports.ts";
import { createPatchPorts } from "./patch-ports.ts";
import { createRecall } from "./recall-ports.ts";

/** Everything that the tools of a turn act through, bound to the policy it was sealed with. */
export type Toolbox = (
	thread: LiveThread,
	envelope: TurnEnvelope,
	keeper: Pick<Keeper, "beforePatch" | "watching">,
) => ToolPorts;

/** Keeps nothing of what files were: what the user does themselves is theirs, and not for them to judge. */
export const KEEP_NOTHING: Parameters<Toolbox>[2] = {
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
}): Toolbox {
	const { patcher, ripgrep, processes, environment, facts, ports, bind } = options;
	/** What each thread's model has read. */
	const known = new Map<ThreadId, ReadLog>();
	return (thread, envelope, keeper) => {
		const { identity, policy } = envelope;
		const reads = known.get(identity.threadId) ?? createReadLog();
		known.set(identity.threadId, reads);
		reads.startTurn();
		// Now, and not again in this turn: links that are changed meanwhile cannot widen it.
		const binding = bind(policy.value);
		binding.catch(() => undefined);
		const bound = () => binding;
		const { documents } = ports;
		const patches = createPatchPorts({ patcher, bound, documents, reads, keep: keeper.beforePatch });
		return {
			...createToolPorts(bound, ripgrep, facts.documents, { patches, reads }),
			...keeper.watching(createCommandPorts(envelope, bound, processes, environment)),
			recall: createRecall(thread, identity.budgets.recall),
		};
	};
}
