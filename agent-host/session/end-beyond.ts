import type { Policy } from "../permissions/policy/policy.ts";
import { oneLine } from "../permissions/words/one-line.ts";
import { ThreadId } from "../protocol/ids.ts";
import { asMessage, type Said, say } from "../protocol/say.ts";
import type { Processes } from "../sandbox/command/processes.ts";
import type { LiveThread } from "./thread/live-thread.ts";

/** Ends background commands that have more rights than their threads have now, and reports it in each thread. */
export interface EndBeyond {
	/** For one thread, under the policy that applies from now on. */
	readonly of: (thread: LiveThread, policy: Policy) => Promise<void>;
	/** For every thread: something that all of them depend on has changed. */
	readonly all: () => Promise<void>;
}

export function createEndBeyond(options: {
	readonly processes: Pick<Processes, "owners" | "endBeyond">;
	readonly open: (threadId: ThreadId) => Promise<LiveThread>;
	/** The policy of a turn that would start now. */
	readonly policyOf: (threadId: ThreadId) => Promise<Policy>;
	readonly log: (message: string) => void;
}): EndBeyond {
	const { processes, open, policyOf, log } = options;
	const endCommands = async (thread: LiveThread, policy: Policy | undefined): Promise<void> => {
		const { threadId } = thread.state();
		const ended = await processes.endBeyond(threadId, policy);
		const drafts = ended.flatMap(({ processId, argv, turnId }) => {
			if (turnId === undefined) return [];
			const message = asMessage(describeEnd(processId, argv));
			return [{ kind: "event", event: { type: "warning", turnId, code: "rights-shrunk", ...message } } as const];
		});
		await thread.commit(drafts, "unsynced");
	};
	return {
		of: endCommands,
		all: async () => {
			for (const owner of processes.owners()) {
				try {
					const threadId = ThreadId.parse(owner);
					// A thread whose policy cannot be determined has none.
					await endCommands(await open(threadId), await policyOf(threadId).catch(() => undefined));
				} catch (error) {
					log(`Commands of a thread could not be looked at: ${error}`);
					await processes.endBeyond(owner, undefined);
				}
			}
		},
	};
}

const MAX_SHOWN_CHARS = 200;

function describeEnd(processId: string, argv: readonly string[]): Said {
	const words = JSON.stringify(argv);
	const shown =
		words.length <= MAX_SHOWN_CHARS ? words : `${words.slice(0, MAX_SHOWN_CHARS)}… (${words.length} characters)`;
	const command = oneLine(shown);
	return processId === ""
		? say("command-ended-rights", { command })
		: say("background-ended-rights", { processId, command });
}
