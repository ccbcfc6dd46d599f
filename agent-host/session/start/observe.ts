import { arch, homedir, platform, release, tmpdir } from "node:os";
import type { EditorState } from "../../envelope/envelope.ts";
import { localDate } from "../../envelope/local-date.ts";
import type { Observed } from "../../envelope/resolve-envelope.ts";
import type { ClosedPlaces } from "../../permissions/policy/policy.ts";
import type { SandboxState } from "../../permissions/policy/sandbox-problem.ts";
import { type PolicySettings, turnPolicy } from "../../permissions/resolve/turn-policy.ts";
import { HostError } from "../../protocol/errors.ts";
import { say } from "../../protocol/say.ts";
import { shellArgv } from "../../sandbox/command/find-program.ts";
import { findClosedPlaces } from "../../sandbox/reading/closed-places.ts";
import { readableUnder } from "../../workspace/files/readable.ts";
import { isFolder } from "../../workspace/files/small-file.ts";
import { readGit } from "../../workspace/git/read-git.ts";
import { loadInstructions } from "../../workspace/load-instructions.ts";
import type { Facts } from "../facts.ts";
import type { ThreadFolder } from "../thread/thread-contract.ts";

export interface ObserveRequest {
	readonly folder: ThreadFolder;
	readonly editor: EditorState | undefined;
	readonly now: number;
	/** The sandbox's state. */
	readonly sandbox: SandboxState;
	/** As layered for this turn. */
	readonly settings: PolicySettings;
	/** What MCP servers offer. */
	readonly servers: Observed["servers"];
}

export interface Observation {
	readonly observed: Observed;
	/** Problems for the user, one sentence each. */
	readonly problems: readonly string[];
}

/** Reads the world once, before the envelope is sealed. Nothing reads it again during the turn. */
export async function observe(facts: Facts, home: string, request: ObserveRequest): Promise<Observation> {
	const { now, editor, sandbox } = request;
	const { cwd, roots, trusted } = request.folder;
	if (cwd !== undefined && !(await isFolder(cwd))) {
		throw new HostError("settings-refused", say("folder-gone", { cwd }));
	}
	const timeZone = ownTimeZone();
	const places = {
		home: homedir(),
		temp: [...new Set([tmpdir(), ...(platform() === "win32" ? [] : ["/tmp"])])],
		own: [home],
		closed: closedPlaces(),
	};
	// The turn's read access also limits what is read for it. Version control does not affect reading.
	const about = { ...places, versionControl: [], roots, trusted };
	const policy = turnPolicy(request.settings, about, facts.policy, sandbox);
	const [instructions, git] = await Promise.all([
		loadInstructions({ home, cwd, roots, trusted, readable: readableUnder(policy) }),
		readGit(cwd, roots),
	]);
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
		...(facts.policy === undefined ? {} : { policy: facts.policy }),
		sandbox,
		servers: request.servers,
		surface: { ...facts.surface },
		now,
	};
	return { observed, problems: instructions.problems };
}

/** Cache time. What is closed changes when a toolchain is installed, which takes longer than this. */
const CLOSED_KNOWN_MS = 10_000;
let closedKnown: { readonly at: number; readonly places: ClosedPlaces } | undefined;

function closedPlaces(): ClosedPlaces {
	if (closedKnown === undefined || performance.now() - closedKnown.at > CLOSED_KNOWN_MS) {
		const places = findClosedPlaces({ home: homedir(), environment: process.env });
		closedKnown = { at: performance.now(), places };
	}
	return closedKnown.places;
}

/** On Windows the shell that command strings run in, since they depend on it. */
function shellHere(): string {
	const [shell = ""] = shellArgv("", process.env);
	return platform() === "win32" ? shell : (process.env.SHELL ?? "/bin/sh");
}

/** The time zone at process start: JavaScript's clock keeps that one too. */
function ownTimeZone(): string {
	zoneHere ??= Intl.DateTimeFormat().resolvedOptions().timeZone;
	return zoneHere;
}

let zoneHere: string | undefined;
