import type { TurnEnvelope } from "../../envelope/envelope.ts";
import { digestPolicy, type Policy } from "../../permissions/policy/policy.ts";
import { mayRun } from "../../permissions/reach/may-run.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import type { CommandRequest, Sandbox } from "../../sandbox/backend.ts";

/** The sandbox's arguments for a command of a turn; undefined if none could run. */
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
		if (cwd === undefined || !mayRun(policy.value) || policy.value.noSandbox !== undefined) return undefined;
		const bound = await bind(policy.value);
		const request = { argv: ["true"], cwd, policy: bound, digest: digestPolicy(bound), environment };
		const compiled = await sandbox.compile({ ...request, ...(threadId === undefined ? {} : { owner: threadId }) });
		return "state" in compiled ? undefined : compiled;
	};
}
