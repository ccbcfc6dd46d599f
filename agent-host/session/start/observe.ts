import { arch, homedir, platform, release, tmpdir } from "node:os";
import type { Server } from "../../capabilities/servers/server.ts";
import type { EditorState } from "../../envelope/envelope.ts";
import type { Observed } from "../../envelope/resolve-envelope.ts";
import type { ClosedPlaces } from "../../permissions/policy/policy.ts";
import type { SandboxState } from "../../permissions/policy/sandbox-problem.ts";
import { listWritten } from "../../permissions/resolve/resolve-policy.ts";
import { type PolicySettings, turnPolicy } from "../../permissions/resolve/turn-policy.ts";
import { localDate, ownTimeZone } from "../../platform/time-zone.ts";
import { HostError } from "../../protocol/errors.ts";
import { say } from "../../protocol/say.ts";
import type { Managed } from "../../protocol/settings/managed-limits.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { shellArgv } from "../../sandbox/command/find-program.ts";
import { cleanUpDeadHosts } from "../../sandbox/protect/guard-journal.ts";
import { findClosedPlaces } from "../../sandbox/reading/closed-places.ts";
import { findUnfollowed, nothingSeen, readableUnder, type SeenPaths } from "../../workspace/files/readable.ts";
import { isFolder } from "../../workspace/files/small-file.ts";
import { readGit } from "../../workspace/git/read-git.ts";
import { listNestedFolders, loadInstructions, loadNested } from "../../workspace/instructions/load-instructions.ts";
import type { Brought, BroughtPlace } from "../brought/brought.ts";
import type { Facts } from "../facts.ts";
import type { ThreadFolder } from "../thread/thread-contract.ts";

export interface ObserveRequest {
	readonly folder: ThreadFolder;
	readonly editor: EditorState | undefined;
	readonly now: number;
	/** The sandbox's state. */
	readonly sandbox: SandboxState;
	/** As layered for this turn. */
	readonly settings: PolicySettings & BroughtPlace["settings"] & Pick<Settings, "instructions">;
	/** What MCP servers offer: the user's, and these of the workspace. */
	readonly observeServers: (theirs: readonly Server[]) => Promise<Observed["servers"]>;
	readonly managed: readonly Managed[];
	/** Folders whose own instructions applied in the last turn. */
	readonly nestedFolders: readonly string[];
	readonly observeBrought: (place: BroughtPlace) => Promise<Brought>;
}

export interface Observation {
	readonly observed: Observed;
	readonly brought: Brought;
	/** Problems for the user, one sentence each. */
	readonly problems: readonly string[];
	/** The paths of the policy as they were looked up here. */
	readonly seen: SeenPaths;
}

/** Reads the world once, before the envelope is sealed. Nothing reads it again during the turn. */
export async function observe(facts: Facts, home: string, request: ObserveRequest): Promise<Observation> {
	const { now, editor, sandbox } = request;
	const { cwd, roots, trusted, repository } = request.folder;
	if (cwd !== undefined && !isFolder(cwd)) {
		throw new HostError("settings-refused", say("folder-gone", { cwd }));
	}
	// Another host on the same folders may have died since this one began.
	const left = await cleanUpDeadHosts(home);
	const timeZone = ownTimeZone();
	const machine = {
		home: homedir(),
		temp: [...new Set([tmpdir(), ...(platform() === "win32" ? [] : ["/tmp"])])],
	};
	const places = {
		...machine,
		own: [home],
		closed: closedPlaces(listWritten(request.settings.permissions, { ...machine, roots })),
		managed: request.managed,
		...(repository !== undefined && { repository }),
	};
	// The turn's read access also limits what is read for it. Version control does not affect reading.
	const about = { ...places, versionControl: [], roots, trusted };
	const policy = turnPolicy(request.settings, about, facts.policy, sandbox);
	const seen = nothingSeen();
	const readable = readableUnder(policy, seen);
	const [instructions, git, brought] = await Promise.all([
		loadInstructions({ home, cwd, roots, trusted, fallbacks: request.settings.instructions.fallbacks, readable }),
		readGit(cwd, roots),
		request.observeBrought({ cwd, roots, trusted, readable, settings: request.settings, now }),
	]);
	const nested = await loadNested({
		folders: trusted && cwd !== undefined ? request.nestedFolders.filter((folder) => isNested(folder, cwd, roots)) : [],
		...{ roots, fallbacks: request.settings.instructions.fallbacks, beside: instructions.files, readable },
	});
	const observed: Observed = {
		workspace: {
			environment: facts.environment,
			...(cwd === undefined ? {} : { cwd }),
			roots,
			shell: shellHere(),
			machine: `${platform()} ${release()} ${arch()}`,
			date: localDate(now, timeZone),
			timeZone,
			...(facts.locale === undefined || /^en\b/.test(facts.locale) ? {} : { language: facts.locale }),
			trusted,
			...(git.branch === undefined ? {} : { branch: git.branch }),
			...(editor === undefined ? {} : { editor }),
		},
		places: { ...places, versionControl: git.places },
		instructionFiles: instructions.files,
		nestedInstructions: { folders: request.nestedFolders, files: nested.files },
		...(facts.policy === undefined ? {} : { policy: facts.policy }),
		sandbox,
		servers: await request.observeServers(brought.servers),
		skills: brought.skills,
		hooks: brought.hooks,
		plugins: brought.plugins,
		agents: brought.agents,
		surface: { ...facts.surface },
		asksUser: facts.asksUser,
		knowsLanguages: facts.knowsLanguages,
		now,
	};
	const unfollowed = findUnfollowed(policy, seen).map(describeUnfollowed);
	const said = { ...brought, problems: [...brought.problems, ...unfollowed] };
	return { observed, brought: said, problems: [...left, ...instructions.problems, ...nested.problems], seen };
}

function describeUnfollowed({ path, link }: { readonly path: string; readonly link: string }): string {
	const what = path === link ? `${path} is a link` : `${path} leads through ${link}, a link`;
	return `${what} in a folder that commands can change, so your settings open nothing there. Name the folder that it leads to instead.`;
}

function isNested(folder: string, cwd: string, roots: readonly string[]): boolean {
	return listNestedFolders(folder, cwd, roots).includes(folder);
}

/** Cache time. What is closed changes when a toolchain is installed, which takes longer than this. */
const CLOSED_KNOWN_SECONDS = 10;
let closedKnown: { readonly at: number; readonly beside: string; readonly places: ClosedPlaces } | undefined;

function closedPlaces(written: readonly string[]): ClosedPlaces {
	const beside = JSON.stringify(written);
	if (closedKnown?.beside !== beside || process.uptime() - closedKnown.at > CLOSED_KNOWN_SECONDS) {
		const places = findClosedPlaces({ home: homedir(), environment: process.env, written });
		closedKnown = { at: process.uptime(), beside, places };
	}
	return closedKnown.places;
}

/** On Windows the shell that command strings run in, since they depend on it. */
function shellHere(): string {
	const [shell = ""] = shellArgv("", process.env);
	return platform() === "win32" ? shell : (process.env.SHELL ?? "/bin/sh");
}
