import { readFileSync, realpathSync } from "node:fs";
import type { AskHost } from "../../network/host-rules.ts";
import type { Network, Policy } from "../../permissions/policy/policy.ts";
import { mayRead, protectedPart, writableRoots } from "../../permissions/reach/reach.ts";
import type { ProcessBound } from "../../protocol/thread/item.ts";
import { type CommandRequest, type Refusal, refuse } from "../backend.ts";
import { readAllowedSites } from "../command/allowed-sites.ts";
import { readRequest, refuseOutdated } from "../command/read-request.ts";
import { FILTER_FD, GO_FD, STATUS_FD } from "../launch.ts";
import { gatherDiskFacts } from "../layout/disk-facts.ts";
import { isEditorFolder, type Layout, type planLayout } from "../layout/plan-layout.ts";
import { type PrivateFolder, planPrivate } from "../layout/private-folders.ts";
import type { Found, HarmfulPlaces } from "../protect/harmful-places.ts";
import {
	findRepository,
	planRepository,
	type RepositoryPlan,
	repositoryOptions,
} from "../repository/plan-repository.ts";
import { type CommandView, commandBwrapOptions, mountingOptions } from "./bwrap-options.ts";
import { listToldMounts, type ToldMount } from "./check-mounts.ts";
import { launchWords, SHELL } from "./launch-script.ts";
import { locateNsenter } from "./locate-bwrap.ts";
import type { Egress } from "./network/allow-list-network.ts";
import { fileBlocks, hasPrlimit, withProcessLimit } from "./rlimits.ts";
import type { FilterLevel } from "./seccomp.ts";
import { identifyFile, isBelow, type UsableSandbox } from "./try-bwrap.ts";

/** Everything a launch needs, made from the policy and the current state of the disk. */
export interface Prepared {
	readonly state: "prepared";
	readonly bwrap: string;
	readonly options: Buffer;
	/** The mounts among the options. */
	readonly told: readonly ToldMount[];
	readonly level: FilterLevel;
	/** How its number of processes will be limited. */
	readonly bound: ProcessBound;
	readonly argv: readonly string[];
	/** The size of the largest file that it may write, in a shell's blocks; 0 means no limit. */
	readonly fileBlocks: number;
	readonly policy: Policy;
	readonly layout: Layout;
	readonly temporary: readonly PrivateFolder[];
	/** Protected files and folders that existed before the command. */
	readonly present: readonly string[];
	readonly found: Found;
	readonly awaited: readonly string[];
	/** Called right before the start: why this differs from what was allowed, or undefined. */
	readonly outdated: () => Refusal | undefined;
	/** Only if some hosts are allowed. */
	readonly egress?: Egress;
	/** Only if it may write to a repository. */
	readonly repository?: RepositoryPlan;
}

/** The parts of a sandbox that the preparation depends on. */
export interface SandboxParts {
	readonly probe: UsableSandbox;
	readonly maskFile: string;
	readonly plan: typeof planLayout;
	/** Whether the kernel can count a command's processes. */
	readonly hasCgroups: boolean;
	/** Current placeholders; they count as missing. */
	readonly active: () => ReadonlySet<string>;
	readonly places: HarmfulPlaces;
	/** Protected places that commands have created: they are protected from then on. */
	readonly planted: ReadonlySet<string>;
	/** Returns an unused name for a folder of the host. */
	readonly copies: () => string;
	/** Where the temporary files of its thread are stored. */
	readonly temporary: string;
}

/** Checks a command and plans its sandbox. Creates and starts nothing. */
export async function prepareCommand(request: CommandRequest, parts: SandboxParts): Promise<Prepared | Refusal> {
	const { probe } = parts;
	const read = await readRequest(request, parts.places);
	if ("state" in read) return read;
	const { cwd, environment, found, awaited } = read;
	const policy = withPlanted(read.policy, parts.planted);
	const problem = checkProgram(probe, policy);
	if (problem !== undefined) return refuse("sandbox-unavailable", problem);
	if (!mayRead(policy, realShell())) return refuse("policy-unenforceable", SHELL_CLOSED);
	const egress = policy.network.kind === "allow" ? await planEgress(policy.network.hosts, request.askHost) : undefined;
	if (egress !== undefined && "refusal" in egress) return refuse("policy-unenforceable", egress.refusal);
	const gathered = await gatherDiskFacts(policy, parts.active);
	if (!gathered.ok) return refuse("policy-unenforceable", gathered.reason);
	const planned = parts.plan(policy, gathered.facts);
	if (!planned.ok) return refuse("policy-unenforceable", planned.reason);
	const temporary = planPrivate(planned.layout, parts.temporary);
	const view: CommandView = {
		layout: planned.layout,
		level: policy.mode === "full" ? "full" : "contained",
		network: NETWORKS[policy.network.kind],
		cwd,
		environment,
		maskFile: parts.maskFile,
		temporary,
	};
	const bound = boundFor(policy, parts);
	const repository = planFor(request, cwd, policy, parts);
	if (repository !== undefined && "state" in repository) return repository;
	const copied = repository === undefined ? [] : repositoryOptions(repository);
	return {
		state: "prepared",
		bwrap: probe.bwrap,
		options: asFile([...commandBwrapOptions(view), ...copied]),
		told: listToldMounts([...mountingOptions(view), ...copied]),
		level: view.level,
		bound,
		argv: withProcessLimit(request.argv, policy, bound, ownLimits()),
		fileBlocks: fileBlocks(policy, ownLimits()),
		policy,
		layout: planned.layout,
		temporary,
		present: gathered.facts.present,
		found,
		awaited,
		outdated: () => refuseOutdated(request, cwd, environment, policy),
		...(egress === undefined ? {} : { egress }),
		...(repository === undefined ? {} : { repository }),
	};
}

const SHELL_CLOSED = `${SHELL} is blocked, but every command is started by it in the sandbox. Allow reading it.`;

function withPlanted(policy: Policy, planted: ReadonlySet<string>): Policy {
	const again = [...planted].filter((path) => isEditorFolder(path) && protectedPart(policy, path) === path);
	if (again.length === 0) return policy;
	return { ...policy, protect: { ...policy.protect, paths: [...new Set([...policy.protect.paths, ...again])] } };
}

/** The directory must be the one that was checked, and still be read-only otherwise. */
function planFor(
	{ repository }: CommandRequest,
	cwd: string,
	policy: Policy,
	{ copies }: SandboxParts,
): RepositoryPlan | Refusal | undefined {
	if (repository === undefined) return undefined;
	const planned = findRepository(cwd, policy) === repository ? planRepository(repository, copies()) : undefined;
	return (
		planned ?? refuse("policy-unenforceable", `${repository} is not a plain Git directory, so the command did not run.`)
	);
}

const NETWORKS: Readonly<Record<Network["kind"], CommandView["network"]>> = {
	off: "private",
	allow: "joined",
	on: "shared",
};

async function planEgress(
	hosts: readonly string[],
	ask: AskHost | undefined,
): Promise<Egress | { readonly refusal: string }> {
	const sites = readAllowedSites(hosts);
	if ("refusal" in sites) return sites;
	const nsenter = await locateNsenter();
	if (nsenter !== undefined) return { ...sites, nsenter, ask };
	return { refusal: "Allowed sites need nsenter, which was not found. Install util-linux." };
}

function checkProgram(probe: UsableSandbox, policy: Policy): string | undefined {
	if (identifyFile(probe.bwrap) !== probe.identity) {
		return `${probe.bwrap} has changed since it was tested, so the command did not run. The next turn tests it again.`;
	}
	const roots = writableRoots(policy);
	const open = [probe.bwrap, realShell()].find((program) => isBelow(program, roots));
	return open && `${open} is in a folder that commands can write to, so it cannot isolate them.`;
}

/** The shell that becomes bubblewrap. */
function realShell(): string {
	shell ??= resolveLink(SHELL);
	return shell;
}

let shell: string | undefined;

function resolveLink(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		return path;
	}
}

/**
 * The kernel counts an ordinary user's processes per user namespace, so that limit applies to the sandbox alone. It
 * does not apply to root. If neither it nor a cgroup is available, all processes still end with the pid namespace.
 */
function boundFor(policy: Policy, { hasCgroups }: SandboxParts): ProcessBound {
	if (hasCgroups) return "cgroup";
	return process.getuid?.() !== 0 && hasPrlimit(policy) ? "rlimit" : "pidNamespace";
}

/** Read once: the kernel takes a tenth of a preparation to list them. If they are lowered later, the shell and prlimit refuse. */
function ownLimits(): string {
	try {
		limits ??= readFileSync("/proc/self/limits", "utf8");
	} catch {
		limits = "";
	}
	return limits;
}

let limits: string | undefined;

function asFile(options: readonly string[]): Buffer {
	const all = [...options, "--seccomp", FILTER_FD, "--json-status-fd", STATUS_FD, "--block-fd", GO_FD];
	return Buffer.from(all.map((part) => `${part}\0`).join(""), "utf8");
}

/** The command line for display, without the values of variables, which are private. */
export function listWords({ bwrap, options, argv, fileBlocks }: Prepared): readonly string[] {
	const parts = options.toString("utf8").split("\0").slice(0, -1);
	const all = [...launchWords({ fileBlocks }), bwrap, ...parts, "--", ...argv];
	return all.map((part, index) => (all[index - 2] === "--setenv" ? "…" : part));
}
