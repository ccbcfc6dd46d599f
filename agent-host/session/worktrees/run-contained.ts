import { digestPolicy, type Policy } from "../../permissions/policy/policy.ts";
import { HostError } from "../../protocol/errors.ts";
import { say } from "../../protocol/say.ts";
import type { Sandbox } from "../../sandbox/backend.ts";
import { readComplaint } from "../../worktrees/git-calls.ts";
import type { GitEnd } from "./git-end.ts";

/** More output than this ends a call. */
const MAX_STDOUT_BYTES = 4_194_304;
const MAX_STDERR_BYTES = 65_536;
/** Time limit of one call: checking out a large repository takes minutes. */
const TIMEOUT_MS = 600_000;

/** Runs a program in the sandbox. Rejects with a sentence if it could not run to its end. */
export type RunContained = (argv: readonly string[], cwd: string, policy: Policy) => Promise<GitEnd>;

export function createRunContained(
	sandbox: Pick<Sandbox, "start">,
	environment: Readonly<Record<string, string | undefined>>,
): RunContained {
	return async (argv, cwd, policy) => {
		const chunks: Buffer[] = [];
		let bytes = 0;
		const started = await sandbox.start(
			{ argv, cwd, policy, digest: digestPolicy(policy), environment },
			{
				limits: { timeoutMs: TIMEOUT_MS, outputBytes: MAX_STDERR_BYTES },
				streams: "split",
				input: "closed",
				onData: (chunk) => {
					bytes += chunk.length;
					if (bytes <= MAX_STDOUT_BYTES) chunks.push(chunk);
					else stop();
				},
			},
		);
		if (started.state === "refused") throw refused(started.reason);
		const stop = (): void => started.stop();
		const end = await started.ended;
		if (end.state === "refused") throw refused(end.reason);
		if (bytes > MAX_STDOUT_BYTES) throw refused(`It wrote more than ${MAX_STDOUT_BYTES} bytes.`);
		if (end.state === "stopped") throw refused(end.notes.at(-1) ?? "It was stopped.");
		return {
			exitCode: end.exitCode,
			stdout: Buffer.concat(chunks).toString(),
			complaint: readComplaint(end.output.text) || `${argv[0]} ended with ${end.exitCode}`,
		};
	};
}

function refused(reason: string): HostError {
	return new HostError("input-refused", say("worktree-refused", { reason }));
}
