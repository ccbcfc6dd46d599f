import { entryAt } from "../../protocol/settings/policy-settings.ts";
import type { ServerSettings } from "../../protocol/settings/server-settings.ts";
import type { Policy } from "../policy/policy.ts";
import { escalatePolicy } from "../reach/escalate.ts";

type ServerCommand = Extract<ServerSettings, { command: string }>;

/** Servers run for as long as they are used. */
const NO_TIME_LIMIT_MS = 2_147_483_647;

/**
 * What a server's program may touch: it reads what commands read, writes where its settings say and to its own temporary
 * files, and reaches the sites that its settings name.
 *
 * @param named What its command line names, which it may read even in a closed place.
 */
export function serverPolicy(
	base: Policy,
	{ sandboxEnabled, sandbox, env }: ServerCommand,
	named: readonly string[] = [],
): Policy {
	const { plan: _, serverTools: __, ...rest } = base;
	const environment = { ...base.environment, set: { ...base.environment.set, ...env } };
	const limits = { ...base.limits, timeoutMs: NO_TIME_LIMIT_MS };
	const policy: Policy = { ...rest, mode: "workspaceWrite", approval: "never", rules: [], environment, limits };
	if (!sandboxEnabled) return escalatePolicy(policy);
	const { allowedDomains: hosts } = sandbox.network;
	return {
		...policy,
		filesystem: [
			...base.filesystem.map((entry) => (entry.access === "write" ? { ...entry, access: "read" as const } : entry)),
			...named.map((path) => entryAt(path, "read")),
			...sandbox.filesystem.allowWrite.map((path) => entryAt(path, "write")),
		],
		network: hosts.length === 0 ? { kind: "off" } : { kind: "allow", hosts },
	};
}
