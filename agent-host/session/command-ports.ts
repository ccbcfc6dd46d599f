import type { TurnEnvelope } from "../envelope/envelope.ts";
import type { Policy } from "../permissions/policy.ts";
import { describePolicy, namePolicy } from "../permissions/words.ts";
import { commandEnvironment } from "../sandbox/environment.ts";
import { locateProgram, shellArgv } from "../sandbox/find-program.ts";
import type { Processes } from "../sandbox/processes.ts";
import type { CommandCall, CommandPorts } from "../tools/command.ts";

/** The command tools of a turn, bound to the policy it was sealed with. */
export function createCommandPorts(
	envelope: Pick<TurnEnvelope, "identity" | "policy">,
	processes: Processes,
	environment: Readonly<Record<string, string | undefined>>,
): CommandPorts {
	const owner = envelope.identity.threadId;
	const { value: policy, digest } = envelope.policy;
	return {
		runCommand: (call, signal) => {
			const request = { argv: argvOf(call), cwd: call.cwd, policy, digest, environment };
			return processes.run(owner, request, { timeoutMs: call.timeoutMs, yieldMs: call.yieldMs }, signal);
		},
		writeCommandInput: (processId, text, waitMs, signal) => processes.write(owner, { processId, text, waitMs }, signal),
		stopCommand: (processId) => processes.stop(owner, processId),
		describeCommand: (call) => describe(call, policy, digest, environment),
	};
}

function argvOf({ command }: CommandCall): readonly string[] {
	return typeof command === "string" ? shellArgv(command) : command;
}

function describe(
	call: CommandCall,
	policy: Policy,
	digest: string,
	host: Readonly<Record<string, string | undefined>>,
): ReturnType<CommandPorts["describeCommand"]> {
	const environment = commandEnvironment(host, policy.environment, call.cwd);
	const argv = argvOf(call);
	return {
		argv,
		program: locateProgram(argv[0] ?? "", call.cwd, environment.PATH ?? ""),
		environment: Object.keys(environment).sort(),
		sandbox: `${namePolicy(policy)} (${digest})`,
		network: describePolicy(policy).network,
	};
}
