import type { PolicyEntry } from "../../protocol/settings/policy-settings.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import type { Policy } from "../policy/policy.ts";
import type { SandboxState } from "../policy/sandbox-problem.ts";
import { type PolicyPlaces, resolvePolicy } from "./resolve-policy.ts";

export type PolicySettings = Pick<Settings, "permissions" | "approval" | "modes">;

/** The policy of a turn, from the settings or from a policy file, with the state of the sandbox. */
export function turnPolicy(
	settings: PolicySettings,
	places: PolicyPlaces,
	whole: Policy | undefined,
	sandbox: SandboxState,
): Policy {
	const policy = policyFor(settings, places, whole, sandbox);
	return sandbox.kind === "none" ? { ...policy, noSandbox: sandbox.problem.code } : policy;
}

/** Plan mode makes the policy read-only, whatever else is set. */
function policyFor(
	settings: PolicySettings,
	places: PolicyPlaces,
	whole: Policy | undefined,
	sandbox: SandboxState,
): Policy {
	const { permissions, approval, modes } = settings;
	const policy = whole === undefined ? withAskedHosts(settings, places, sandbox) : { ...whole, approval };
	if (modes.collaboration !== "plan") return policy;
	const narrow = { ...permissions, mode: "readOnly", network: "off" } as const;
	return narrowToPlan(whole === undefined ? resolvePolicy(narrow, approval, places) : policy, policy);
}

/** With an empty list every host needs approval, if the user can be asked. Only bubblewrap lets a command wait. */
function withAskedHosts(
	{ permissions, approval }: PolicySettings,
	places: PolicyPlaces,
	{ kind }: SandboxState,
): Policy {
	const policy = resolvePolicy(permissions, approval, places);
	const asks = permissions.network === "allowList" && policy.network.kind === "off";
	if (!asks || !policy.commands || approval === "never" || kind !== "bubblewrap") return policy;
	return { ...policy, network: { kind: "allow", hosts: [] } };
}

/**
 * Only the thread's private files are writable, and the network is off: a request to a server can change things too.
 */
function narrowToPlan(policy: Policy, { mode, network }: Policy): Policy {
	return {
		...policy,
		mode: "readOnly",
		filesystem: policy.filesystem.map(asReadOnly),
		network: { kind: "off" },
		plan: { mode, network: network.kind },
	};
}

function asReadOnly(entry: PolicyEntry): PolicyEntry {
	return entry.access === "write" ? { ...entry, access: "read" } : entry;
}
