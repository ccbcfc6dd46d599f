import { delimiter, isAbsolute } from "node:path";
import type { EnvironmentPolicy } from "../protocol/policy.ts";

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

/** The whole environment of a command that starts in `cwd`. */
export function commandEnvironment(
	host: Readonly<Record<string, string | undefined>>,
	policy: EnvironmentPolicy,
	cwd: string,
): Readonly<Record<string, string>> {
	const wanted = (name: string) =>
		policy.include.includes(name) || (policy.inherit === "allowList" && isInherited(name));
	const names = Object.keys(host).filter((name) => wanted(name) && isPassable(name));
	const inherited = names.map((name) => [name, host[name]] as const);
	const set = Object.entries(policy.set).filter(([name]) => isPassable(name));
	const environment = Object.fromEntries([...inherited, ...set].map(([name, value]) => [name, value ?? ""]));
	return { ...environment, PATH: absoluteOnly(environment.PATH), TERM: environment.TERM ?? "dumb", PWD: cwd };
}

function isInherited(name: string): boolean {
	return INHERITED.has(name) || /^LC_[A-Z]+$/.test(name);
}

function isPassable(name: string): boolean {
	return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !NEVER.some((pattern) => pattern.test(name));
}

// An empty or relative part of PATH means "wherever I happen to be", which is where others put files.
function absoluteOnly(path: string | undefined): string {
	const parts = (path ?? "").split(delimiter).filter(isAbsolute);
	return parts.length === 0 ? DEFAULT_PATH : parts.join(delimiter);
}
