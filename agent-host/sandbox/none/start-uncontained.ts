import { PLATFORM } from "../../platform/platform.ts";
import {
	type CommandEnd,
	type CommandRequest,
	type Refusal,
	type RunningCommand,
	refuse,
	type StartOptions,
} from "../backend.ts";
import { locateProgram } from "../command/find-program.ts";
import type { GroupJournal } from "../command/group-journal.ts";
import { shellLevel, stdioFor } from "../command/plain-stdio.ts";
import { readLaunch, refuseChanged } from "../command/read-request.ts";
import { type CommandStreams, findExitCode, ownStreams, watchCommand } from "../command/watch-command.ts";
import { limitsToWatch } from "../command/watch-limits.ts";
import { type ContainedProcess, killGroup, spawnUncontained } from "../launch.ts";

/**
 * Starts a command on a machine without a sandbox, with the user's rights. Folder, program and what was approved are
 * checked in the same moment as it starts; time, output, memory and disk are limited as in a sandbox.
 */
export function startUncontained(
	request: CommandRequest,
	options: StartOptions,
	groups: GroupJournal,
): RunningCommand | Refusal {
	const { policy, argv } = request;
	if (policy.noSandbox === undefined) return refuse("policy-unenforceable", "This policy needs a sandbox.");
	const launch = refuseChanged(request) ?? readLaunch(request, policy);
	if ("state" in launch) return launch;
	const [named = "", ...args] = argv;
	const file = locateProgram(named, launch.cwd, launch.environment, policy) ?? named;
	const started = PLATFORM.start({ named, file }, args, launch.environment);
	if (started === undefined) return refuse("no-such-program", UNQUOTABLE);
	const where = { cwd: launch.cwd, environment: { ...launch.environment, ...shellLevel(options) } };
	try {
		return watch(spawnUncontained(started, where, stdioFor(options)), request, options, groups);
	} catch (error) {
		return refuse("no-such-program", `The command could not be started: ${String(error)}`);
	}
}

const UNQUOTABLE =
	"A batch file cannot be given words with a quotation mark, a percent sign or a line break. Run it as a shell string instead.";

function watch(
	child: ContainedProcess,
	{ policy }: CommandRequest,
	options: StartOptions,
	groups: GroupJournal,
): RunningCommand {
	const forget = groups.note(child.pid);
	const kill = (): void => killGroup(child);
	// What it left in the background ends with it, as in a sandbox.
	child.once("exit", kill);
	const ends: CommandStreams = {
		...ownStreams(child, options),
		input: child.stdin ?? undefined,
		exitCode: () => findExitCode(child),
		refusedHosts: () => [],
		bound: "none",
		kill,
		watchLimits: limitsToWatch(policy, []),
	};
	const finish = async () => {
		forget();
		return [];
	};
	const running = watchCommand(child, ends, options, { check: async () => [], finish });
	return { ...running, ended: running.ended.then(withoutSandbox) };
}

/** A failed start is not a failure of a sandbox. */
function withoutSandbox(end: CommandEnd): CommandEnd {
	return end.state === "refused" ? refuse("no-such-program", "The command could not be started.") : end;
}
