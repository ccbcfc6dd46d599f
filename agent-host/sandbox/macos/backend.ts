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
import { readAllowedSites } from "../command/allowed-sites.ts";
import { PROXY_PORT, withProxyAt, withTemporaryAt } from "../command/command-environment.ts";
import type { GroupJournal } from "../command/group-journal.ts";
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
import { makeFolder, openRunFolder, type RunFolder, temporaryFoldersIn } from "../run-folder.ts";
import { type LocalProxy, openLocalProxy } from "./local-proxy.ts";
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
export function createSeatbelt({ home }: SeatbeltPlaces, sandboxExec: string, groups: GroupJournal): Backend {
	let tried: Promise<SandboxProblem | undefined> | undefined;
	let folder: RunFolder | undefined;
	const places = createHarmfulPlaces(temporaryFoldersIn(home));
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
			// Nothing holds a command back here.
			await options.before?.();
			return startContained(request, { temporary, sandboxExec, places, journal, groups }, options);
		},
		compile: async (request) => {
			// The port is chosen when the command starts.
			const planned = await planContained(request, places, temporaryFolderOf(home, request.owner), PROXY_PORT);
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
	readonly groups: GroupJournal;
}

/** The containment of a command, made from the policy and the current state of the disk. */
async function planContained(
	request: CommandRequest,
	places: HarmfulPlaces,
	temporary: string,
	proxyPort: number | undefined,
) {
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
	const planned = planSeatbelt(policy, { proxyPort, files, temporary });
	if (!planned.ok) return refuse("policy-unenforceable", planned.reason);
	return { read, policy, layout: laid.layout, present: gathered.facts.present, profile: planned.profile };
}

/** The way to the sites that a policy allows; undefined if it names none. */
async function openWayOut({ policy, askHost }: CommandRequest): Promise<LocalProxy | Refusal | undefined> {
	if (policy.network.kind !== "allow") return undefined;
	const sites = readAllowedSites(policy.network.hosts);
	return "refusal" in sites ? refuse("policy-unenforceable", sites.refusal) : openLocalProxy(sites.rules, askHost);
}

async function startContained(
	request: CommandRequest,
	parts: LaunchParts,
	options: StartOptions,
): Promise<RunningCommand | Refusal> {
	const way = await openWayOut(request);
	if (way !== undefined && "state" in way) return way;
	try {
		const started = await startWith(way, request, parts, options);
		if (started.state === "refused") way?.close();
		return started;
	} catch (error) {
		way?.close();
		return refuse("sandbox-unavailable", `The sandbox could not start: ${String(error)}`);
	}
}

async function startWith(
	way: LocalProxy | undefined,
	request: CommandRequest,
	{ temporary, sandboxExec, places, journal, groups }: LaunchParts,
	options: StartOptions,
): Promise<RunningCommand | Refusal> {
	const planned = await planContained(request, places, temporary, way?.port);
	if ("state" in planned) return planned;
	const { read, policy, layout, present } = planned;
	const { found, awaited } = read;
	const hasOwn = policy.temporary.length > 0;
	const guarded = { policy, layout: { ...layout, placeholders: [] }, present, found, awaited };
	const guard = guardProtected(guarded, places, journal, () => new Set());
	if (hasOwn) makeFolder(temporary);
	const inThread = withTemporaryAt(read.environment, policy, temporary);
	const environment = { ...(way === undefined ? inThread : withProxyAt(inThread, way.url)), ...shellLevel(options) };
	const at = { cwd: read.cwd, environment };
	const child = spawnSeatbelt(sandboxExec, seatbeltArgs(planned.profile, request.argv), at, stdioFor(options));
	const forget = groups.note(child.pid);
	const kill = (): void => killGroup(child);
	// What it left in its group ends with it.
	child.once("exit", kill);
	const input = child.stdin ?? undefined;
	const ends: CommandStreams = {
		...ownStreams(child, options),
		input,
		// Sandbox-exec becomes the command, so its exit is the command's.
		exitCode: () => findExitCode(child),
		refusedHosts: way?.refusedHosts ?? (() => []),
		bound: "none",
		kill,
		watchProtection: (_, end) => guard.watch(end),
	};
	const finish = () => {
		way?.close();
		forget();
		return guard.finish();
	};
	return watchCommand(child, ends, options, { check: guard.check, finish });
}
