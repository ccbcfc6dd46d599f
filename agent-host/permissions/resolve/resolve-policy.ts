import { isAbsolute, join, resolve } from "node:path";
import type { Managed } from "../../protocol/settings/managed-limits.ts";
import type {
	ApprovalPolicy,
	CommandRule,
	PermissionSettings,
	PolicyEntry,
} from "../../protocol/settings/policy-settings.ts";
import { entryAt, isGlob, isPattern } from "../../protocol/settings/policy-settings.ts";
import type { ClosedPlaces, CommandLimits, Network, Policy } from "../policy/policy.ts";
import { EDITOR_PLACES, PROTECTED_NAMES, SECRET_PLACES, START_UP_PLACES } from "../policy/protected-names.ts";
import { isInside, NOTHING_CLOSED, writableRoots } from "../reach/reach.ts";

/** Facts about the machine and the workspace that a policy depends on. All paths are absolute. */
export interface PolicyPlaces {
	readonly roots: readonly string[];
	readonly trusted: boolean;
	readonly home: string;
	/** Folders for temporary files. */
	readonly temp: readonly string[];
	/** Vitrine's own folders: threads, rules, the installed extension. */
	readonly own: readonly string[];
	readonly closed: ClosedPlaces;
	/** Version control directories that are not directly below a root: worktrees, submodules, nested repositories. */
	readonly versionControl: readonly string[];
	/** In a worktree, the Git directory of its repository, which Git calls there have to read. */
	readonly repository?: string;
	/** What the machine's administrator allows at most. */
	readonly managed?: readonly Managed[];
}

const MEGABYTE = 1_048_576;

export const DEFAULT_LIMITS: CommandLimits = {
	timeoutMs: 120_000,
	processes: 512,
	outputBytes: MEGABYTE,
	memoryBytes: "half",
	fileBytes: 4_096 * MEGABYTE,
	diskBytes: 10_240 * MEGABYTE,
};

/** Makes the policy of a turn. In an untrusted workspace it only grants reading below its folders, whatever is set. */
export function resolvePolicy(settings: PermissionSettings, approval: ApprovalPolicy, places: PolicyPlaces): Policy {
	const mode = places.trusted ? settings.mode : "readOnly";
	const filesystem = places.trusted ? entriesFor(settings, places) : untrustedEntries(settings, places);
	return {
		mode,
		approval,
		commands: places.trusted && places.roots.length > 0,
		filesystem,
		temporary: places.trusted && mode !== "full" ? privateFolders(filesystem, places) : [],
		folders: places.roots,
		closed: mode === "full" ? NOTHING_CLOSED : closedFor(filesystem, places),
		secrets: [...SECRET_PLACES.map((place) => join(places.home, place)), ...places.own],
		network: places.trusted ? networkFor(settings) : { kind: "off" },
		protect: {
			names: PROTECTED_NAMES,
			paths: [
				...places.versionControl,
				...placesWithin(filesystem, places.home, [...EDITOR_PLACES, ...START_UP_PLACES]),
			],
			free: places.temp.filter((folder) => !places.roots.includes(folder)),
		},
		environment: { inherit: "allowList", include: [], set: {} },
		limits: limitsFor(settings),
		rules: places.trusted ? settings.rules.flatMap((rule) => resolveRule(rule, places)) : [],
		...(places.trusted && settings.serverTools.length > 0 && { serverTools: settings.serverTools }),
	};
}

function resolveRule(rule: CommandRule, places: PolicyPlaces): readonly CommandRule[] {
	return rule.folder === undefined ? [rule] : expandPath(rule.folder, places).map((folder) => ({ ...rule, folder }));
}

/** Nothing is closed below a place that the user opened or granted by name. */
function closedFor(filesystem: readonly PolicyEntry[], { closed, roots }: PolicyPlaces): ClosedPlaces {
	const granted = filesystem.filter(({ path, access }) => access !== "none" && path !== "/").map(({ path }) => path);
	const named = [...roots, ...granted];
	return { ...closed, places: closed.places.filter((place) => !named.some((path) => isInside(place, path))) };
}

/** The temporary folders that the user did not share, neither by name nor by granting a folder above them. */
function privateFolders(filesystem: readonly PolicyEntry[], { temp, roots }: PolicyPlaces): readonly string[] {
	const shared = [...roots, ...filesystem.filter((entry) => !isPattern(entry)).map(({ path }) => path)];
	return temp.filter((folder) => !shared.some((path) => path !== "/" && isInside(folder, path)));
}

/** Those places below the home folder that are inside something writable. */
export function placesWithin(
	filesystem: readonly PolicyEntry[],
	home: string,
	places: readonly string[],
): readonly string[] {
	const roots = writableRoots({ filesystem });
	return places.map((place) => join(home, place)).filter((path) => roots.some((root) => isInside(path, root)));
}

/** The absolute paths of a token or path in a policy. An unknown token gives none. */
export function expandPath(path: string, places: Pick<PolicyPlaces, "roots" | "home" | "temp">): readonly string[] {
	if (path.startsWith("~/")) return [join(places.home, path.slice(2))];
	if (!path.startsWith(":"))
		return isAbsolute(path) || isGlob(path) ? [isGlob(path) || path === "/" ? path : resolve(path)] : [];
	const [token = "", ...rest] = path.split("/");
	const below = (folders: readonly string[]) => folders.map((folder) => join(folder, ...rest));
	switch (token) {
		case ":root":
			// Not joined: on Windows this root stands for every drive.
			return rest.length === 0 ? ["/"] : below(["/"]);
		case ":workspace":
			return below(places.roots);
		case ":tmp":
			return below(places.temp);
		case ":home":
			return below([places.home]);
		case ":minimal":
			return below(MINIMAL);
		default:
			return [];
	}
}

/** The folders that commands may write to in some mode, which is not necessarily the mode of this turn. */
export function listWritten(
	{ writableRoots, filesystem }: Pick<PermissionSettings, "writableRoots" | "filesystem">,
	places: Pick<PolicyPlaces, "roots" | "home" | "temp">,
): readonly string[] {
	const named = filesystem.filter(({ access }) => access === "write").map(({ path }) => path);
	return [...places.roots, ...[...writableRoots, ...named].flatMap((path) => expandPath(path, places))];
}

/** Whether a policy asks for the minimal system; platforms other than Linux use other folders for that. */
export function grantsMinimal(policy: Pick<Policy, "filesystem">): boolean {
	const granted = policy.filesystem.filter(({ access }) => access !== "none").map(({ path }) => asPosix(path));
	return MINIMAL.every((path) => granted.includes(path));
}

export function isMinimalPlace(path: string): boolean {
	return MINIMAL.includes(asPosix(path));
}

// On Windows the folders below `/` are written with its separator.
function asPosix(path: string): string {
	return path.replaceAll("\\", "/");
}

const MINIMAL = ["/bin", "/sbin", "/usr", "/etc", "/lib", "/lib64", "/nix/store", "/run/current-system/sw"];

function entriesFor(settings: PermissionSettings, places: PolicyPlaces): readonly PolicyEntry[] {
	const { mode } = settings;
	const entries: PolicyEntry[] = [{ path: ":root", access: mode === "full" ? "write" : "read" }];
	if (places.repository !== undefined && mode !== "full") entries.push(entryAt(places.repository, "read"));
	// Named in every mode: it may lie in the home folder, which is closed.
	entries.push({ path: ":workspace", access: "write" });
	if (mode !== "readOnly") {
		entries.push(...settings.writableRoots.map((path) => ({ path, access: "write" as const })));
	}
	entries.push(...settings.filesystem, ...denied(settings));
	const narrowed = mode === "readOnly" ? entries.map(asReadOnly) : entries;
	return places.roots.length === 0 ? [] : expandEntries(narrowed, places);
}

function untrustedEntries(settings: PermissionSettings, places: PolicyPlaces): readonly PolicyEntry[] {
	const closed = settings.filesystem.filter((entry) => entry.access === "none");
	return places.roots.length === 0
		? []
		: expandEntries([{ path: ":workspace", access: "read" }, ...closed, ...denied(settings)], places);
}

function denied(settings: PermissionSettings): readonly PolicyEntry[] {
	return settings.denyRead.map((path) => ({ path, access: "none" as const }));
}

export function asReadOnly(entry: PolicyEntry): PolicyEntry {
	return entry.access === "write" ? { ...entry, access: "read" } : entry;
}

export function expandEntries(
	entries: readonly PolicyEntry[],
	places: Pick<PolicyPlaces, "roots" | "home" | "temp">,
): readonly PolicyEntry[] {
	const expanded = entries.flatMap(({ path, access }) =>
		expandPath(path, places).map((place) => (isGlob(path) ? { path: place, access } : entryAt(place, access))),
	);
	const seen = new Set<string>();
	return expanded.filter((entry) => {
		const key = `${entry.access} ${entry.path}`;
		return seen.has(key) ? false : seen.add(key);
	});
}

function limitsFor({ limits }: PermissionSettings): CommandLimits {
	return {
		...DEFAULT_LIMITS,
		memoryBytes: limits.memory === null ? "half" : limits.memory * MEGABYTE,
		fileBytes: limits.fileSize * MEGABYTE,
		diskBytes: limits.diskGrowth * MEGABYTE,
	};
}

function networkFor(settings: PermissionSettings): Network {
	if (settings.mode === "full" || settings.network === "on") return { kind: "on" };
	if (settings.network === "off" || settings.allowedDomains.length === 0) return { kind: "off" };
	return { kind: "allow", hosts: settings.allowedDomains };
}
