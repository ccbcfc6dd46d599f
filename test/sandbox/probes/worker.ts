import { digestPolicy, type Policy } from "../../../agent-host/permissions/policy/policy.ts";
import type { CommandEnd } from "../../../agent-host/sandbox/backend.ts";
import { createSandbox } from "../../../agent-host/sandbox/sandbox.ts";

/** One sandboxed command, to be run by whoever this process runs as. */
export interface Job {
	readonly home: string;
	readonly policy: Policy;
	readonly cwd: string;
	readonly argv: readonly string[];
	readonly timeoutMs?: number;
}

/** Reads jobs from its channel, answers with how each ended. */
process.on("message", async ({ id, job }: { readonly id: number; readonly job: Job }) => {
	process.send?.({ id, ended: await runJob(job) });
});

const sandboxes = new Map<string, ReturnType<typeof createSandbox>>();

async function runJob(job: Job): Promise<CommandEnd> {
	const sandbox = sandboxes.get(job.home) ?? createSandbox({ home: job.home, path: undefined, folders: [] });
	sandboxes.set(job.home, sandbox);
	const { policy, cwd, argv } = job;
	return sandbox.run(
		{ argv, cwd, policy, digest: digestPolicy(policy), environment: process.env },
		{ limits: { outputBytes: 1_000_000, timeoutMs: job.timeoutMs ?? 30_000 }, streams: "kept", input: "closed" },
		new AbortController().signal,
	);
}
