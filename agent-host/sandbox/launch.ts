import { type ChildProcess, spawn } from "node:child_process";
import { type Contained, readOnlyBwrapArgs } from "./linux.ts";

export interface LaunchLimits {
	readonly timeoutMs: number;
	readonly outputBytes: number;
}

export type LaunchOutcome =
	| { readonly state: "ended"; readonly exitCode: number | null; readonly stdout: string; readonly stderr: string }
	/** The limit on time or output was reached and the process was killed; `stdout` is what came before. */
	| { readonly state: "cut"; readonly by: "time" | "output"; readonly stdout: string }
	| { readonly state: "refused"; readonly reason: string };

/** What a contained program inherits: nothing of the host's own environment. */
const ENVIRONMENT = { PATH: "/usr/bin:/bin", LANG: "C.UTF-8" };

const STDERR_BYTES = 4_096;

/** The only place that starts processes. Runs `command` in a read-only sandbox, or not at all. */
export function launchReadOnly(
	bwrap: string | undefined,
	command: Contained,
	stdin: string,
	limits: LaunchLimits,
	signal: AbortSignal,
): Promise<LaunchOutcome> {
	if (bwrap === undefined) {
		return Promise.resolve({
			state: "refused",
			reason: "No sandbox: bubblewrap (bwrap) was not found on this machine.",
		});
	}
	signal.throwIfAborted();
	// Its own process group and session: one signal reaches bwrap, and bwrap's pid namespace takes the rest along.
	const child = spawn(bwrap, readOnlyBwrapArgs(command), {
		cwd: "/",
		env: ENVIRONMENT,
		stdio: ["pipe", "pipe", "pipe"],
		detached: true,
	});
	return collect(child, stdin, limits, signal);
}

function collect(
	child: ChildProcess,
	stdin: string,
	limits: LaunchLimits,
	signal: AbortSignal,
): Promise<LaunchOutcome> {
	return new Promise((resolve, reject) => {
		const stdout: Buffer[] = [];
		let stderr = "";
		let bytes = 0;
		let cut: "time" | "output" | undefined;
		const stop = (by: "time" | "output") => {
			cut ??= by;
			killGroup(child);
		};
		const timer = setTimeout(stop, limits.timeoutMs, "time");
		const onAbort = () => killGroup(child);
		signal.addEventListener("abort", onAbort, { once: true });
		child.stdout?.on("data", (chunk: Buffer) => {
			bytes += chunk.length;
			if (bytes > limits.outputBytes) stop("output");
			else stdout.push(chunk);
		});
		child.stderr?.on("data", (chunk: Buffer) => {
			if (stderr.length < STDERR_BYTES) stderr += chunk.toString("utf8");
		});
		// The program may end without reading all its input; that is its right, not an error of ours.
		child.stdin?.on("error", () => undefined);
		child.stdin?.end(stdin);
		const finish = (outcome: LaunchOutcome) => {
			clearTimeout(timer);
			signal.removeEventListener("abort", onAbort);
			if (signal.aborted) reject(signal.reason);
			else resolve(outcome);
		};
		child.on("error", (error) => finish({ state: "refused", reason: `The sandbox did not start: ${error.message}` }));
		child.on("close", (exitCode) => {
			const text = Buffer.concat(stdout).toString("utf8");
			finish(
				cut === undefined
					? { state: "ended", exitCode, stdout: text, stderr }
					: { state: "cut", by: cut, stdout: text },
			);
		});
	});
}

function killGroup(child: ChildProcess): void {
	if (child.pid === undefined) return;
	try {
		process.kill(-child.pid, "SIGKILL");
	} catch {
		// It ended between our decision and the signal.
	}
}
