import type { Settings } from "../../protocol/settings/settings.ts";
import type { PlanMode, Policy } from "../policy/policy.ts";
import type { SandboxState } from "../policy/sandbox-problem.ts";
import { limitPolicy } from "./limit-policy.ts";
import { asReadOnly, type PolicyPlaces, resolvePolicy } from "./resolve-policy.ts";

export type PolicySettings = Pick<Settings, "permissions" | "approval" | "modes">;

/** How many policies are remembered: each turn asks for two. */
const MAX_RECENT = 8;

/** By what they were made from, the most recently used one last. */
const recent = new Map<string, Policy>();

/**
 * The policy of a turn, from the settings or from a policy file, with the state of the sandbox. From the same values it is
 * the same object, so that what is known of it holds for the next turn, too.
 */
export function turnPolicy(
	settings: PolicySettings,
	places: PolicyPlaces,
	whole: Policy | undefined,
	sandbox: SandboxState,
): Policy {
	const { permissions, approval, modes } = settings;
	const key = JSON.stringify([permissions, approval, modes, places, whole, sandbox]);
	const policy = recent.get(key) ?? makePolicy(settings, places, whole, sandbox);
	recent.delete(key);
	recent.set(key, policy);
	const [oldest] = recent.keys();
	if (recent.size > MAX_RECENT && oldest !== undefined) recent.delete(oldest);
	return policy;
}

function makePolicy(
	settings: PolicySettings,
	places: PolicyPlaces,
	whole: Policy | undefined,
	sandbox: SandboxState,
): Policy {
	const policy = limitPolicy(policyFor(settings, places, whole, sandbox), places.managed ?? [], places);
	return sandbox.kind === "none" ? { ...policy, noSandbox: sandbox.problem.code } : policy;
}

/** Plan and review mode make the policy read-only, whatever else is set. */
function policyFor(
	settings: PolicySettings,
	places: PolicyPlaces,
	whole: Policy | undefined,
	sandbox: SandboxState,
): Policy {
	const { permissions, approval, modes } = settings;
	const policy = whole === undefined ? withAskedHosts(settings, places, sandbox) : { ...whole, approval };
	if (modes.collaboration === "default") return policy;
	const narrow = { ...permissions, mode: "readOnly", network: "off" } as const;
	const narrowed = narrowToPlan(whole === undefined ? resolvePolicy(narrow, approval, places) : policy, policy);
	return modes.collaboration === "plan" ? narrowed : { ...narrowed, plan: { ...narrowed.plan, review: true } };
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
function narrowToPlan(policy: Policy, { mode, network }: Policy): Policy & { readonly plan: PlanMode } {
	return {
		...policy,
		mode: "readOnly",
		filesystem: policy.filesystem.map(asReadOnly),
		network: { kind: "off" },
		plan: { mode, network: network.kind },
	};
}
