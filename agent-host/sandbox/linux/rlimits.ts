import { existsSync } from "node:fs";
import type { Policy } from "../../permissions/policy/policy.ts";
import { mayRead } from "../../permissions/reach/reach.ts";
import type { ProcessBound } from "../../protocol/thread/item.ts";

/** Part of util-linux, which a small system may lack. */
const PRLIMIT = "/usr/bin/prlimit";
const SHELL = "/bin/sh";
/** What a shell counts the size of a file in. */
const BLOCK_BYTES = 512;

/** Only with it can the number of a user's processes be limited. */
export function hasPrlimit(policy: Policy): boolean {
	return existsSync(PRLIMIT) && mayRead(policy, PRLIMIT);
}

/**
 * The command line that sets a command's limits first and becomes the command. A process cannot raise a hard limit that
 * it was given, so where the host itself has a lower one, that stays. Without prlimit a shell limits the size of files.
 * @param limits The host's own, as in `/proc/self/limits`.
 */
export function withRlimits(
	argv: readonly string[],
	policy: Policy,
	bound: ProcessBound,
	limits: string,
): readonly string[] {
	const processes = Math.min(policy.limits.processes, readHard(limits, "Max processes"));
	const fileBytes = Math.min(policy.limits.fileBytes, readHard(limits, "Max file size"));
	if (!hasPrlimit(policy)) {
		const blocks = Math.ceil(fileBytes / BLOCK_BYTES);
		return fileBytes === 0 ? argv : [SHELL, "-c", `ulimit -f ${blocks} && exec "$@"`, "sh", ...argv];
	}
	const options = [
		...(bound === "rlimit" ? [`--nproc=${processes}:${processes}`] : []),
		...(fileBytes > 0 ? [`--fsize=${fileBytes}:${fileBytes}`] : []),
	];
	return options.length === 0 ? argv : [PRLIMIT, ...options, "--", ...argv];
}

/** The second column; `unlimited` is more than any number. */
function readHard(limits: string, name: string): number {
	const line = limits.split("\n").find((one) => one.startsWith(name)) ?? "";
	const hard = Number(line.slice(name.length).trim().split(/\s+/)[1]);
	return Number.isNaN(hard) ? Number.POSITIVE_INFINITY : hard;
}
