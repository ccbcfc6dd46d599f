import type { HookRun } from "../../capabilities/hooks/read-answer.ts";
import type { HookOffer } from "../../envelope/envelope.ts";
import { digestPolicy, type Policy } from "../../permissions/policy/policy.ts";
import { entryAt } from "../../protocol/settings/policy-settings.ts";
import type { Sandbox } from "../../sandbox/backend.ts";
import { shellArgv } from "../../sandbox/command/find-program.ts";

/** More than this of a hook's output ends it. */
const MAX_STDOUT_BYTES = 262_144;
const MAX_STDERR_BYTES = 65_536;

/** How a hook ended; a text says why there is no answer. */
export type HookEnd = HookRun | { readonly failure: string };

/** Runs a hook's command in the sandbox of the turn, without a network, and gives it the input to read. */
export type RunHook = (
	hook: HookOffer,
	input: string,
	under: { readonly policy: Policy; readonly owner: string },
	signal: AbortSignal,
) => Promise<HookEnd>;

export function createRunHook(
	sandbox: Pick<Sandbox, "start">,
	environment: Readonly<Record<string, string | undefined>>,
): RunHook {
	return async (hook, input, { policy, owner }, signal) => {
		const chunks: Buffer[] = [];
		let bytes = 0;
		let isFlood = false;
		const inForce = narrow(policy, hook);
		const started = await sandbox.start(
			{
				argv: shellArgv(hook.command, environment),
				cwd: hook.root,
				policy: inForce,
				digest: digestPolicy(inForce),
				environment,
				owner,
			},
			{
				limits: { timeoutMs: hook.timeoutMs, outputBytes: MAX_STDERR_BYTES },
				streams: "split",
				input: "open",
				onData: (chunk) => {
					bytes += chunk.length;
					if (bytes <= MAX_STDOUT_BYTES) chunks.push(chunk);
					else if (!isFlood) {
						isFlood = true;
						stop();
					}
				},
			},
		);
		if (started.state === "refused") return { failure: started.reason };
		const stop = (): void => started.stop();
		signal.addEventListener("abort", stop, { once: true });
		if (signal.aborted) stop();
		started.write(input);
		started.endInput();
		const end = await started.ended;
		signal.removeEventListener("abort", stop);
		if (isFlood) return { failure: `It wrote more than ${MAX_STDOUT_BYTES} bytes.` };
		if (end.state === "refused") return { failure: end.reason };
		if (end.state === "stopped") {
			return { failure: end.by === "time" ? `It took more than ${hook.timeoutMs / 1_000} s.` : "It was stopped." };
		}
		return { exitCode: end.exitCode, stdout: Buffer.concat(chunks).toString(), stderr: end.output.text };
	};
}

/** What the turn's commands may touch, without a network, and with the variables that hooks expect. */
function narrow(policy: Policy, { root, plugin }: HookOffer): Policy {
	const set = {
		...policy.environment.set,
		...{ VITRINE_PROJECT_DIR: root, CLAUDE_PROJECT_DIR: root },
		...(plugin && { PLUGIN_ROOT: plugin.folder, CLAUDE_PLUGIN_ROOT: plugin.folder }),
	};
	// A plugin reads its own files, which are in a closed place.
	const own = plugin === undefined ? [] : [entryAt(plugin.folder, "read")];
	return {
		...policy,
		filesystem: [...policy.filesystem, ...own],
		network: { kind: "off" },
		environment: { ...policy.environment, set },
	};
}
