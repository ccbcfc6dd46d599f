import { statSync } from "node:fs";
import { digestPolicy, type Policy } from "../../permissions/policy/policy.ts";
import { isPrivate, mayRead } from "../../permissions/reach/reach.ts";
import { findRealPath } from "../../workspace/files/real-path.ts";
import { type CommandRequest, type Refusal, refuse } from "../backend.ts";
import { type BoundPolicy, bindAtLaunch } from "../protect/bind-at-launch.ts";
import { type HarmfulPlaces, MAX_FOLDERS } from "../protect/harmful-places.ts";
import { MAX_CONFIG_BYTES } from "../protect/version-control.ts";
import { commandEnvironment } from "./command-environment.ts";
import { refuseProgram } from "./find-program.ts";
import { identifyLaunch } from "./launch-identity.ts";

/** A checked request, with its policy bound to the disk. */
export interface ReadRequest extends BoundPolicy {
	/** Every link resolved. */
	readonly cwd: string;
	readonly environment: Readonly<Record<string, string>>;
}

/** The checks of a command on every platform. */
export async function readRequest(request: CommandRequest, places: HarmfulPlaces): Promise<ReadRequest | Refusal> {
	const changed = refuseChanged(request);
	if (changed !== undefined) return changed;
	const bound = await bindAtLaunch(request.policy, places);
	if (!bound.found.isWhole) return refuse("policy-unenforceable", TOO_MANY_FOLDERS);
	if (bound.unread !== undefined) return refuse("policy-unenforceable", describeUnread(bound.unread));
	const { policy } = bound;
	const launch = readLaunch(request, policy);
	return "state" in launch ? launch : { ...bound, ...launch };
}

/** The policy must be the one that the verdict was made with. */
export function refuseChanged({ policy, digest }: CommandRequest): Refusal | undefined {
	if (digestPolicy(policy) === digest) return undefined;
	return refuse(
		"policy-changed",
		"The policy does not match the one this turn started with, so the command did not run.",
	);
}

export type Launch = Pick<ReadRequest, "cwd" | "environment">;

/** Where a command starts and with which variables, or why it cannot; and that it is what was approved. */
export function readLaunch(request: CommandRequest, policy: Policy): Launch | Refusal {
	if (isPrivate(policy, request.cwd)) return refuse("bad-cwd", `${request.cwd} ${PRIVATE_CWD}`);
	const cwd = startFolder(request.cwd, policy);
	if (cwd === undefined) return refuse("bad-cwd", `${request.cwd} is not a folder that the command can read.`);
	if (request.argv.some((word) => word.includes("\0")))
		return refuse("no-such-program", "A command cannot contain a NUL character.");
	const environment = commandEnvironment(request.environment, policy, cwd, request.repository, request.caches);
	const missing = refuseProgram(request.argv[0] ?? "", cwd, environment, policy);
	if (missing !== undefined) return refuse("no-such-program", missing);
	return refuseOutdated(request, cwd, environment, policy) ?? { cwd, environment };
}

const PRIVATE_CWD = "is this thread's temporary folder. Start in the workspace and change to it in the command.";

function describeUnread(file: string): string {
	const most = MAX_CONFIG_BYTES / 1_048_576;
	return `${file} is longer than ${most} MB or leads to too many files, so it cannot be told what Git runs there, and no command was run.`;
}

const TOO_MANY_FOLDERS = `There are more than ${MAX_FOLDERS} writable folders, too many to check after a command. Open a smaller folder.`;

/** What starts must be what the user saw: the same words, folder, variables and program file. */
export function refuseOutdated(
	{ approved, argv }: CommandRequest,
	cwd: string,
	environment: Readonly<Record<string, string>>,
	policy: Policy,
): Refusal | undefined {
	if (approved === undefined || identifyLaunch(argv, cwd, environment, policy).digest === approved) return undefined;
	const reason =
		"The program or folder changed after the approval, so the command did not run. Run it again to ask for approval.";
	return refuse("approval-outdated", reason);
}

function startFolder(cwd: string, policy: Policy): string | undefined {
	const { real } = findRealPath(cwd);
	if (!mayRead(policy, real)) return undefined;
	return statSync(real, { throwIfNoEntry: false })?.isDirectory() === true ? real : undefined;
}
