import { existsSync } from "node:fs";
import { describeRefusal, findProblem, type SandboxProblem } from "../../permissions/policy/sandbox-problem.ts";
import {
	type Backend,
	type CommandRequest,
	type Refusal,
	type RunningCommand,
	refuse,
	type StartOptions,
} from "../backend.ts";
import { withTemporaryAt } from "../command/command-environment.ts";
import { shellLevel, stdioFor } from "../command/plain-stdio.ts";
import { readRequest } from "../command/read-request.ts";
import { temporaryFolderOf } from "../command/temporary.ts";
import { type CommandStreams, findExitCode, ownStreams, watchCommand } from "../command/watch-command.ts";
import { killGroup, runProbe, spawnSeatbelt } from "../launch.ts";
import { gatherDiskFacts } from "../layout/disk-facts.ts";
import { planLayout } from "../layout/plan-layout.ts";
import { guardProtected } from "../protect/guard.ts";
import { createGuardJournal, type GuardJournal } from "../protect/guard-journal.ts";
import { createHarmfulPlaces, type HarmfulPlaces } from "../protect/harmful-places.ts";
import { withRepository } from "../repository/plan-repository.ts";
import { makeFolder, openRunFolder, type RunFolder } from "../run-folder.ts";
import { planSeatbelt, seatbeltArgs } from "./profile.ts";

const PROBE_MS = 5_000;

/** Closes one file that everybody may read. A sandbox that still reads it does not work. */
const TRIAL = [
	...["-p", '(version 1) (allow default) (deny file-read* (literal "/private/etc/hosts"))'],
	...["--", "/bin/cat", "/private/etc/hosts"],
];

export interface SeatbeltPlaces {
	/** The host's own folder. */
	readonly home: string;
}

/**
 * Contains the commands of one host with the system's sandbox-exec. Nothing is tried or created before the first use.
 */
export function createSeatbelt({ home }: SeatbeltPlaces, sandboxExec: string): Backend {
	let tried: Promise<SandboxProblem | undefined> | undefined;
	let folder: RunFolder | undefined;
	const places = createHarmfulPlaces();
	let journal: GuardJournal | undefined;
	const missing = async () => (existsSync(sandboxExec) ? undefined : findProblem("seatbelt-missing"));
	const probe: Backend["probe"] = async (retry) => {
		if (retry !== undefined && (await tried) !== undefined) tried = undefined;
		const gone = await missing();
		if (gone === undefined) tried ??= tryOnce(sandboxExec);
		const problem = gone ?? (await tried);
		return problem === undefined ? { ok: true } : { ok: false, problem };
	};
	return {
		kind: "seatbelt",
		probe,
		doubt: () => {
			tried = undefined;
		},
		missing,
		start: async (request, options) => {
			const probed = await probe();
			if (!probed.ok) return refuse("sandbox-unavailable", describeRefusal(probed.problem));
			try {
				folder ??= openRunFolder(home);
				journal ??= createGuardJournal(folder.path);
			} catch (error) {
				return refuse("sandbox-unavailable", `The agent host could not create its working folder: ${error}`);
			}
			const temporary = temporaryFolderOf(home, request.owner);
			return startContained(request, { temporary, sandboxExec, places, journal }, options);
		},
		compile: async (request) => {
			const planned = await planContained(request, places, temporaryFolderOf(home, request.owner));
			return "state" in planned ? planned : [sandboxExec, ...seatbeltArgs(planned.profile, request.argv)];
		},
	};
}

async function tryOnce(sandboxExec: string): Promise<SandboxProblem | undefined> {
	const { exitCode, output } = await runProbe(sandboxExec, TRIAL, PROBE_MS);
	return exitCode === 1 && output.includes("Operation not permitted") ? undefined : findProblem("seatbelt-broken");
}

interface LaunchParts {
	/** The thread's temporary folder. */
	readonly temporary: string;
	readonly sandboxExec: string;
	readonly places: HarmfulPlaces;
	readonly journal: GuardJournal;
}

/** The containment of a command, made from the policy and the current state of the disk. */
async function planContained(request: CommandRequest, places: HarmfulPlaces, temporary: string) {
	const read = await readRequest(request, places);
	if ("state" in read) return read;
	const { repository } = request;
	const policy = repository === undefined ? read.policy : withRepository(read.policy, repository);
	const gathered = await gatherDiskFacts(policy, () => new Set());
	if (!gathered.ok) return refuse("policy-unenforceable", gathered.reason);
	// Nothing is mounted here, but a replaceable link would also mislead rules about paths.
	const laid = planLayout(policy, gathered.facts);
	if (!laid.ok) return refuse("policy-unenforceable", laid.reason);
	const files = [...gathered.facts.kinds].flatMap(([path, kind]) => (kind === "file" ? [path] : []));
	const planned = planSeatbelt(policy, { proxyPort: undefined, files, temporary });
	if (!planned.ok) return refuse("policy-unenforceable", planned.reason);
	return { read, policy, layout: laid.layout, present: gathered.facts.present, profile: planned.profile };
}

async function startContained(
	request: CommandRequest,
	{ temporary, sandboxExec, places, journal }: LaunchParts,
	options: StartOptions,
): Promise<RunningCommand | Refusal> {
	const planned = await planContained(request, places, temporary);
	if ("state" in planned) return planned;
	const { read, policy, layout, present } = planned;
	const { found, awaited } = read;
	const hasOwn = policy.temporary.length > 0;
	const guarded = { policy, layout: { ...layout, placeholders: [] }, present, found, awaited };
	const guard = guardProtected(guarded, places, journal, () => new Set());
	if (hasOwn) makeFolder(temporary);
	const environment = { ...withTemporaryAt(read.environment, policy, temporary), ...shellLevel(options) };
	const at = { cwd: read.cwd, environment };
	const child = spawnSeatbelt(sandboxExec, seatbeltArgs(planned.profile, request.argv), at, stdioFor(options));
	const kill = (): void => killGroup(child);
	// What it left in its group ends with it.
	child.once("exit", kill);
	const input = child.stdin ?? undefined;
	const ends: CommandStreams = {
		...ownStreams(child, options),
		input,
		// Sandbox-exec becomes the command, so its exit is the command's.
		exitCode: () => findExitCode(child),
		refusedHosts: () => [],
		bound: "none",
		kill,
		watchProtection: (_, end) => guard.watch(end),
	};
	return watchCommand(child, ends, options, guard);
}
