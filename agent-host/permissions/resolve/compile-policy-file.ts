import { join } from "node:path";
import { describeIssue, type Issue } from "../../protocol/describe-issue.ts";
import { LegacyPolicy, PolicyFile } from "../../protocol/settings/policy-file.ts";
import type { ClosedPlaces, Network, Policy } from "../policy/policy.ts";
import { EDITOR_PLACES, PROTECTED_NAMES, SECRET_PLACES, START_UP_PLACES } from "../policy/protected-names.ts";
import { NOTHING_CLOSED } from "../reach/reach.ts";
import { fromLegacy, type LegacyPlaces } from "./legacy-policy.ts";
import { DEFAULT_LIMITS, expandEntries, placesWithin } from "./resolve-policy.ts";

export interface PolicyFilePlaces extends LegacyPlaces {
	/** Vitrine's own folders. */
	readonly own: readonly string[];
	/** Stays closed when a file opens everything, unless the file names it. */
	readonly closed: ClosedPlaces;
	/** Time limit of a command if the file does not set one. */
	readonly timeoutMs: number;
}

export type PolicyOutcome =
	| { readonly ok: true; readonly policy: Policy }
	| { readonly ok: false; readonly reason: string };

/** Parses a policy file in the current or the older form. Anything that cannot be understood refuses the whole file. */
export function parsePolicyFile(text: string, places: PolicyFilePlaces): PolicyOutcome {
	let json: unknown;
	try {
		json = JSON.parse(text);
	} catch {
		return { ok: false, reason: "The policy file is not valid JSON." };
	}
	const isLegacy = typeof json === "object" && json !== null && "sandbox_mode" in json;
	if (isLegacy) {
		const legacy = LegacyPolicy.safeParse(json);
		if (!legacy.success) return { ok: false, reason: describe(legacy.error) };
		return { ok: true, policy: compilePolicy(fromLegacy(legacy.data, places), places) };
	}
	const file = PolicyFile.safeParse(json);
	return file.success
		? { ok: true, policy: compilePolicy(file.data, places) }
		: { ok: false, reason: describe(file.error) };
}

export function compilePolicy(file: PolicyFile, places: PolicyFilePlaces): Policy {
	const temp = [...new Set(["/tmp", ...(places.tmpdir === undefined ? [] : [places.tmpdir])])];
	const filesystem = expandEntries(file.filesystem, { roots: [places.cwd], home: places.home, temp });
	return {
		mode: chooseMode(file),
		approval: "never",
		commands: true,
		filesystem,
		// A policy file is complete: its temporary folders are the machine's real ones.
		temporary: [],
		folders: [places.cwd],
		closed: chooseMode(file) === "full" ? NOTHING_CLOSED : closedBeside(places),
		secrets: [...SECRET_PLACES.map((place) => join(places.home, place)), ...places.own],
		network: compileNetwork(file.network),
		protect: file.protect
			? {
					names: PROTECTED_NAMES,
					paths: placesWithin(filesystem, places.home, [...EDITOR_PLACES, ...START_UP_PLACES]),
					// Other programs make repositories there meanwhile, which are none of this command's.
					free: temp.filter((folder) => folder !== places.cwd),
				}
			: { names: [], paths: [], free: [] },
		environment: file.environment,
		limits: {
			timeoutMs: file.limits.timeoutMs ?? places.timeoutMs,
			processes: file.limits.processes ?? DEFAULT_LIMITS.processes,
			outputBytes: file.limits.outputBytes ?? DEFAULT_LIMITS.outputBytes,
			memoryBytes: file.limits.memoryBytes ?? DEFAULT_LIMITS.memoryBytes,
			fileBytes: file.limits.fileBytes ?? DEFAULT_LIMITS.fileBytes,
			diskBytes: file.limits.diskBytes ?? DEFAULT_LIMITS.diskBytes,
		},
		rules: [],
	};
}

/** The folder that a command starts in is its workspace, wherever it is: what the file grants there is open. */
function closedBeside({ closed, cwd }: PolicyFilePlaces): ClosedPlaces {
	return { ...closed, except: [...closed.except, cwd] };
}

/** Everything writable, nothing protected, network on: that is full access, and runs as such. */
function chooseMode(file: PolicyFile): Policy["mode"] {
	const [only, ...others] = file.filesystem;
	const isWhole = others.length === 0 && only?.access === "write" && (only.path === "/" || only.path === ":root");
	if (isWhole && !file.protect && file.network === "on") return "full";
	return file.filesystem.some(({ access }) => access === "write") ? "workspaceWrite" : "readOnly";
}

function compileNetwork(network: PolicyFile["network"]): Network {
	if (network === "on" || network === "off") return { kind: network };
	return network.allow.length === 0 ? { kind: "off" } : { kind: "allow", hosts: network.allow };
}

function describe(error: { readonly issues: readonly Issue[] }): string {
	const issues = error.issues.map(
		(issue) => `${issue.path.map(String).join(".") || "the file"}: ${describeIssue(issue)}`,
	);
	return `The policy file is not valid: ${issues.join("; ")}`;
}
