import { delimiter, isAbsolute, join } from "node:path";
import type { Policy } from "../../permissions/policy/policy.ts";
import { writesTemporary } from "../../permissions/reach/may-run.ts";
import { accessTo, isPrivate } from "../../permissions/reach/reach.ts";
import { cacheVariables } from "../reading/caches.ts";
import { TOOLCHAIN_VARIABLES } from "../reading/toolchains.ts";

/** What a command gets of the host's environment. Everything else is left out, secrets first of all. */
const INHERITED = new Set([
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
	...Object.keys(TOOLCHAIN_VARIABLES),
]);

/** Ways back into the editor, the host or the desktop. Not even the user's own list brings them in. */
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

const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

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
	/** Where tools may keep what they write besides the workspace; the thread's own temporary files if there are any. */
	caches: string | undefined = cachesIn(policy.temporary[0]),
): Readonly<Record<string, string>> {
	const { include, inherit, set: added } = policy.environment;
	const wanted = (name: string) => include.includes(name) || (inherit === "allowList" && isInherited(name));
	const names = Object.keys(host).filter((name) => wanted(name) && isPassable(name));
	const inherited = names.map((name) => [name, host[name]] as const);
	const set = Object.entries(added).filter(([name]) => isPassable(name));
	const environment = Object.fromEntries([...inherited, ...set].map(([name, value]) => [name, value ?? ""]));
	const always = { PATH: pathFor(policy, environment.PATH), TERM: environment.TERM ?? "dumb", PWD: cwd };
	const git = [
		...(policy.network.kind === "allow" ? [["http.proxy", PROXY] as const] : []),
		...(repository === undefined ? [] : NO_HOUSEKEEPING),
	];
	const proxy = policy.network.kind === "allow" ? PROXY_VARIABLES : {};
	return { ...environment, ...always, ...cachesFor(policy, environment, caches), ...proxy, ...gitVariables(git) };
}

function cachesIn(folder: string | undefined): string | undefined {
	return folder === undefined ? undefined : join(folder, "caches");
}

/** Nothing is needed where the home folder can be written, and nothing helps where nothing can be. */
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
	return cacheVariables({ folder, home: given.HOME, open: policy.closed.except, network, given, mayWrite });
}

/** The same where a thread's temporary files are found at another place than the policy says. */
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

/** It replaces many small files by one, which is not to be lost if the host dies before it has taken that one over. */
const NO_HOUSEKEEPING = [
	["gc.auto", "0"],
	["maintenance.auto", "false"],
] as const;

/** Settings that come before what a user's own Git configuration says. */
function gitVariables(settings: readonly (readonly [key: string, value: string])[]): Readonly<Record<string, string>> {
	if (settings.length === 0) return {};
	const each = settings.flatMap(([key, value], index) => [
		[`GIT_CONFIG_KEY_${index}`, key],
		[`GIT_CONFIG_VALUE_${index}`, value],
	]);
	return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(each) };
}

function isInherited(name: string): boolean {
	return INHERITED.has(name) || /^LC_[A-Z]+$/.test(name);
}

function isPassable(name: string): boolean {
	return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !NEVER.some((pattern) => pattern.test(name));
}

// An empty or relative part of PATH means "wherever I happen to be", which is where others put files; and among temporary
// files there are only those that commands have made.
function pathFor(policy: Parameters<typeof isPrivate>[0], path: string | undefined): string {
	const parts = (path ?? "").split(delimiter).filter((part) => isAbsolute(part) && !isPrivate(policy, part));
	return parts.length === 0 ? DEFAULT_PATH : parts.join(delimiter);
}

/** Where the proxy listens in a command's own network. */
export const PROXY_PORT = 3128;

const PROXY = `http://127.0.0.1:${PROXY_PORT}`;
/** Its own servers are reached directly. */
const DIRECT = "localhost,127.0.0.1,::1";

/** Sends what a command asks of the network to the proxy, in the spellings that programs look for. */
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
