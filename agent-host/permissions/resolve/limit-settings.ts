import { judgeTarget, parseRule, parseRules } from "../../network/host-rules.ts";
import type { Managed, ManagedLimits } from "../../protocol/settings/managed-limits.ts";
import {
	lower,
	NetworkMode,
	PermissionMode,
	type PermissionSettings,
} from "../../protocol/settings/policy-settings.ts";
import type { BudgetSettings, Limits, Settings } from "../../protocol/settings/settings.ts";

/** The settings, with everything taken away that the machine's administrator does not allow. */
export function limitSettings(settings: Settings, managed: readonly Managed[]): Settings {
	return managed.reduce((so, { limits }) => limitOnce(so, limits), settings);
}

function limitOnce(settings: Settings, limits: ManagedLimits): Settings {
	return {
		...settings,
		permissions: limitPermissions(settings.permissions, limits),
		budgets: limitBudgets(settings.budgets, limits.budgets ?? {}),
	};
}

const narrowerMode = lower(PermissionMode.options);
const narrowerNetwork = lower(NetworkMode.options);

function limitPermissions(permissions: PermissionSettings, limits: ManagedLimits): PermissionSettings {
	const network = networkWithin(limits);
	// Full Access includes the whole network.
	const most = network === "on" ? "full" : "workspaceWrite";
	const mode = narrowerMode(permissions.mode, narrowerMode(most, limits.mode ?? "full"));
	const wanted = permissions.mode === "full" ? "on" : permissions.network;
	return {
		...permissions,
		mode,
		network: narrowerNetwork(wanted, network),
		allowedDomains: limits.allowedDomains
			? hostsWithin(permissions, wanted, limits.allowedDomains)
			: permissions.allowedDomains,
	};
}

function networkWithin({ network = "on", allowedDomains }: ManagedLimits): NetworkMode {
	return allowedDomains === undefined ? network : narrowerNetwork(network, "allowList");
}

/** The user's hosts that the limit allows too, or all that it allows if the user wanted every host. */
function hostsWithin(
	{ allowedDomains }: PermissionSettings,
	wanted: NetworkMode,
	limit: readonly string[],
): PermissionSettings["allowedDomains"] {
	const isClosing = (line: string) => line.startsWith("!");
	const open = limit.filter((line) => !isClosing(line));
	const kept = wanted === "on" ? open : allowedDomains.filter((line) => !isClosing(line) && isHostWithin(line, limit));
	const closed = [...allowedDomains, ...(kept.length === 0 ? [] : limit)].filter(isClosing);
	return [...new Set([...kept, ...closed])];
}

/** Whether everything that a line of allowed sites opens is allowed by the limit, too. */
export function isHostWithin(line: string, limit: readonly string[]): boolean {
	if (limit.includes(line)) return true;
	const [rule, rules] = [parseRule(line), parseRules(limit)];
	if (rule === undefined || rule.covers !== "host" || "unreadable" in rules) return false;
	return (rule.ports ?? []).every((port) => judgeTarget(rules, { host: rule.host, port }).kind === "allow");
}

function limitBudgets(budgets: BudgetSettings, limits: NonNullable<ManagedLimits["budgets"]>): BudgetSettings {
	return {
		turn: limitBudget(budgets.turn, limits.turn),
		thread: limitBudget(budgets.thread, limits.thread),
		day: limitBudget(budgets.day, limits.day),
		agent: limitBudget(budgets.agent, limits.agent),
	};
}

function limitBudget(budget: Limits, limit: Limits = {}): Limits {
	const keys = ["tokens", "money", "requests", "minutes"] as const;
	const least = keys.map((key) => [key, Math.min(budget[key] ?? Infinity, limit[key] ?? Infinity)] as const);
	return Object.fromEntries(least.filter(([, value]) => value !== Infinity));
}
