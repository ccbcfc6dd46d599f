import type { TurnEnvelope } from "../envelope/envelope.ts";
import { digestPolicy } from "../permissions/digest.ts";
import { mayRun } from "../permissions/may-do.ts";
import type { Policy } from "../permissions/policy.ts";
import type { ThreadId } from "../protocol/ids.ts";
import type { CommandRequest } from "../sandbox/command/prepare.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";

/** What the sandbox would be told for a command of a turn; undefined when none could run. */
export type Compile = (
	envelope: TurnEnvelope,
	threadId: ThreadId | undefined,
) => Promise<readonly string[] | undefined>;

export function createCompile(options: {
	readonly sandbox: Pick<Sandbox, "compile">;
	readonly bind: (policy: Policy) => Promise<Policy>;
	readonly environment: CommandRequest["environment"];
}): Compile {
	const { sandbox, bind, environment } = options;
	return async ({ workspace: { cwd }, policy }, threadId) => {
		if (cwd === undefined || !mayRun(policy.value)) return undefined;
		const bound = await bind(policy.value);
		const request = { argv: ["true"], cwd, policy: bound, digest: digestPolicy(bound), environment };
		const told = await sandbox.compile({ ...request, ...(threadId === undefined ? {} : { owner: threadId }) });
		return "state" in told ? undefined : told;
	};
}
