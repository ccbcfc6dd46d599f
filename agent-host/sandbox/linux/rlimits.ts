import { existsSync } from "node:fs";
import type { Policy } from "../../permissions/policy/policy.ts";
import { mayRead } from "../../permissions/reach/reach.ts";
import type { ProcessBound } from "../../protocol/thread/item.ts";

/** Part of util-linux, which a small system may lack. */
const PRLIMIT = "/usr/bin/prlimit";
/** What a shell counts the size of a file in. */
const BLOCK_BYTES = 512;

/** Only with it can the number of a user's processes be limited. */
export function hasPrlimit(policy: Policy): boolean {
	return existsSync(PRLIMIT) && mayRead(policy, PRLIMIT);
}

/**
 * The command line that limits the number of processes first and becomes the command: the kernel counts them in the
 * sandbox, so the limit has to be set there. A process cannot raise a hard limit that it was given, so where the host
 * itself has a lower one, that stays.
 * @param limits The host's own, as in `/proc/self/limits`.
 */
export function withProcessLimit(
	argv: readonly string[],
	policy: Policy,
	bound: ProcessBound,
	limits: string,
): readonly string[] {
	if (bound !== "rlimit") return argv;
	const processes = Math.min(policy.limits.processes, readHard(limits, "Max processes"));
	return [PRLIMIT, `--nproc=${processes}:${processes}`, "--", ...argv];
}

/** The largest file that a command may write, as a shell counts it, before anything is contained; 0 means no limit. */
export function fileBlocks({ limits: { fileBytes } }: Pick<Policy, "limits">, limits: string): number {
	if (fileBytes === 0) return 0;
	return Math.max(1, Math.floor(Math.min(fileBytes, readHard(limits, "Max file size")) / BLOCK_BYTES));
}

/** The second column; `unlimited` is more than any number. */
function readHard(limits: string, name: string): number {
	const line = limits.split("\n").find((one) => one.startsWith(name)) ?? "";
	const hard = Number(line.slice(name.length).trim().split(/\s+/)[1]);
	return Number.isNaN(hard) ? Number.POSITIVE_INFINITY : hard;
}
