import { delimiter, isAbsolute, join } from "node:path";
import type { Policy } from "../../permissions/policy/policy.ts";
import { writesTemporary } from "../../permissions/reach/may-run.ts";
import { accessTo, isPrivate } from "../../permissions/reach/reach.ts";
import { PLATFORM } from "../../platform/platform.ts";
import { cacheVariables } from "../reading/caches.ts";
import { TOOLCHAIN_VARIABLES } from "../reading/toolchains.ts";

/** Variables that a command inherits from the host. Everything else is left out, above all secrets. */
const NAMES = [
	"PATH",
	"VITRINE_NODE",
	"HOME",
	"LANG",
	"LANGUAGE",
	"TERM",
	"TMPDIR",
	"SHELL",
	"USER",
	"LOGNAME",
	"TZ",
	...PLATFORM.variables,
	...Object.keys(TOOLCHAIN_VARIABLES),
];
/** The names as we write them, by what the system takes for the same name. */
const INHERITED = new Map(NAMES.map((name) => [PLATFORM.keyOfVariable(name), name]));

/** Ways back into the editor, the host or the desktop. Not even the user's own list can include them. */
const NEVER = [
	/^VITRINE_(?!NODE$)/,
	/^VSCODE_/,
	/^ELECTRON_/,
	/^NODE_(?:OPTIONS|CHANNEL_FD|CHANNEL_SERIALIZATION_MODE|UNIQUE_ID)$/,
	/^SSH_(?:AUTH_SOCK|AGENT_PID|ASKPASS)$/,
	/^GIT_ASKPASS$/,
	/^DOCKER_HOST$/,
	/^DBUS_/,
	/^(?:WAYLAND_)?DISPLAY$/,
	/^XAUTHORITY$/,
];

type EnvironmentNeeds = Pick<
	Policy,
	"mode" | "plan" | "environment" | "network" | "temporary" | "filesystem" | "folders" | "closed" | "secrets"
>;

/** The whole environment of a command that starts in `cwd`. */
export function commandEnvironment(
	host: Readonly<Record<string, string | undefined>>,
	policy: EnvironmentNeeds,
	cwd: string,
	/** The Git directory that it may write to, if any. */
	repository?: string,
	/** Where tools may write caches outside the workspace; by default the thread's temporary files. */
	caches: string | undefined = cachesIn(policy.temporary[0]),
): Readonly<Record<string, string>> {
	const { include, inherit, set: added } = policy.environment;
	const included = new Set(include.map(PLATFORM.keyOfVariable));
	const wanted = (name: string) =>
		included.has(PLATFORM.keyOfVariable(name)) || (inherit === "allowList" && isInherited(name));
	const names = Object.keys(host).filter((name) => wanted(name) && isPassable(name));
	const inherited = names.map((name) => [INHERITED.get(PLATFORM.keyOfVariable(name)) ?? name, host[name]] as const);
	const set = Object.entries(added).filter(([name]) => isPassable(name));
	const environment = Object.fromEntries([...inherited, ...set].map(([name, value]) => [name, value ?? ""]));
	const always = { PATH: pathFor(policy, environment), TERM: environment.TERM ?? "dumb", PWD: cwd };
	const git = [
		...(policy.network.kind === "allow" ? [["http.proxy", PROXY] as const] : []),
		...(repository === undefined ? [] : FEW_FILES),
	];
	const proxy = policy.network.kind === "allow" ? PROXY_VARIABLES : {};
	return { ...environment, ...always, ...cachesFor(policy, environment, caches), ...proxy, ...gitVariables(git) };
}

function cachesIn(folder: string | undefined): string | undefined {
	return folder === undefined ? undefined : join(folder, "caches");
}

/** Not needed if the home folder is writable, and useless if nothing is. */
function cachesFor(
	policy: EnvironmentNeeds,
	given: Readonly<Record<string, string>>,
	folder: string | undefined,
): Readonly<Record<string, string>> {
	if (folder === undefined || !writesTemporary(policy) || policy.mode === "full") return {};
	if (policy.environment.inherit === "none") return {};
	const mayWrite = (path: string) =>
		isAbsolute(path) && (isPrivate(policy, path) || accessTo(policy, path) === "write");
	const network = policy.network.kind === "off" ? "off" : "open";
	return cacheVariables({
		folder,
		home: given.HOME ?? given.USERPROFILE,
		open: policy.closed.except,
		network,
		given,
		mayWrite,
	});
}

/** The same if a thread's temporary files are mounted at another place than in the policy. */
export function withTemporaryAt(
	environment: Readonly<Record<string, string>>,
	{ temporary: [usual] }: Pick<Policy, "temporary">,
	folder: string,
): Readonly<Record<string, string>> {
	const from = cachesIn(usual);
	const to = cachesIn(folder);
	if (from === undefined || to === undefined) return environment;
	const moved = Object.entries(environment).map(([name, value]) => [name, value.replace(`${from}/`, `${to}/`)]);
	return { ...Object.fromEntries(moved), TMPDIR: folder };
}

/** The same if the proxy is at another address than in a network of the command's own. */
export function withProxyAt(environment: Readonly<Record<string, string>>, url: string): typeof environment {
	return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value === PROXY ? url : value]));
}

/**
 * Git housekeeping replaces many small files by one, which would be lost if the host died before taking it over. Of an index
 * in two files only one would be taken over.
 */
const FEW_FILES = [
	["gc.auto", "0"],
	["maintenance.auto", "false"],
	["core.splitIndex", "false"],
] as const;

/** Settings that override the user's Git configuration. */
function gitVariables(settings: readonly (readonly [key: string, value: string])[]): Readonly<Record<string, string>> {
	if (settings.length === 0) return {};
	const each = settings.flatMap(([key, value], index) => [
		[`GIT_CONFIG_KEY_${index}`, key],
		[`GIT_CONFIG_VALUE_${index}`, value],
	]);
	return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(each) };
}

function isInherited(name: string): boolean {
	return INHERITED.has(PLATFORM.keyOfVariable(name)) || /^LC_[A-Z]+$/.test(name);
}

function isPassable(name: string): boolean {
	const key = PLATFORM.keyOfVariable(name);
	return /^[A-Za-z_][A-Za-z0-9_]*(?:\(x86\))?$/.test(name) && !NEVER.some((pattern) => pattern.test(key));
}

// An empty or relative part of PATH means the current folder, where others put files; and the temporary folders contain
// only files that commands made.
function pathFor(policy: Parameters<typeof isPrivate>[0], environment: Readonly<Record<string, string>>): string {
	const parts = (environment.PATH ?? "")
		.split(delimiter)
		.filter((part) => isAbsolute(part) && !isPrivate(policy, part));
	return parts.length === 0 ? PLATFORM.defaultPath(environment) : parts.join(delimiter);
}

/** The proxy's port in a command's network. */
export const PROXY_PORT = 3128;

const PROXY = `http://127.0.0.1:${PROXY_PORT}`;
/** Local servers are reached directly. */
const DIRECT = "localhost,127.0.0.1,::1";

/** Sends a command's network requests to the proxy, in all the variable names that programs read. */
const PROXY_VARIABLES: Readonly<Record<string, string>> = {
	http_proxy: PROXY,
	HTTP_PROXY: PROXY,
	https_proxy: PROXY,
	HTTPS_PROXY: PROXY,
	all_proxy: PROXY,
	ALL_PROXY: PROXY,
	no_proxy: DIRECT,
	NO_PROXY: DIRECT,
	npm_config_proxy: PROXY,
	npm_config_https_proxy: PROXY,
	npm_config_noproxy: DIRECT,
	YARN_HTTP_PROXY: PROXY,
	YARN_HTTPS_PROXY: PROXY,
	PIP_PROXY: PROXY,
	CARGO_HTTP_PROXY: PROXY,
	NODE_USE_ENV_PROXY: "1",
};
