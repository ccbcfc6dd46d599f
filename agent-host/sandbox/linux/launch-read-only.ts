import { HELD_FD, type LaunchLimits, type LaunchOutcome, runToEnd } from "../launch.ts";

export interface Contained {
	readonly program: string;
	readonly args: readonly string[];
	/** What it may read besides the system's programs and libraries, held open: the path may lead elsewhere by now. */
	readonly place: { readonly path: string; readonly handle: number } | undefined;
}

const SYSTEM = ["/usr", "/bin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache"];

/**
 * Bubblewrap's arguments for a program that only reads: it sees the system's programs and the given files read-only,
 * and has no network, no other process, no capability and no terminal. It dies with the host.
 */
export function readOnlyBwrapArgs(command: Contained): readonly string[] {
	return [
		...SYSTEM.flatMap((path) => ["--ro-bind-try", path, path]),
		...["--ro-bind", command.program, command.program],
		...(command.place === undefined ? [] : ["--ro-bind-fd", HELD_FD, command.place.path]),
		"--dev",
		"/dev",
		"--proc",
		"/proc",
		// Last, when all mount points exist: the empty root, /dev and /proc are writable until then.
		...["/dev", "/proc", "/"].flatMap((path) => ["--remount-ro", path]),
		"--unshare-all",
		"--die-with-parent",
		"--new-session",
		"--cap-drop",
		"ALL",
		"--chdir",
		"/",
		"--",
		command.program,
		...command.args,
	];
}

/** Runs a program in a read-only sandbox, or not at all. */
export function launchReadOnly(
	bwrap: string | undefined,
	command: Contained,
	stdin: string,
	limits: LaunchLimits,
	signal: AbortSignal,
): Promise<LaunchOutcome> {
	if (bwrap !== undefined)
		return runToEnd(bwrap, readOnlyBwrapArgs(command), { stdin, held: command.place?.handle }, limits, signal);
	const reason = "No sandbox: bubblewrap (bwrap) was not found on this machine.";
	return Promise.resolve({ state: "refused", reason });
}
