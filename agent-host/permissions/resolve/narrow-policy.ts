import {
	entryAt,
	isPattern,
	lower,
	PermissionMode,
	type PolicyEntry,
} from "../../protocol/settings/policy-settings.ts";
import { digestValue, type Network, type Policy } from "../policy/policy.ts";
import { areFilesWithin, rightAt } from "../reach/is-within.ts";
import { isInside } from "../reach/reach.ts";

const narrowerMode = lower(PermissionMode.options);
const ACCESS = ["none", "read", "read", "write"] as const;

/**
 * What both policies allow. A sub-agent's own policy is narrowed to its parent's in this way, so that it never has more
 * rights than its parent has now.
 */
export function narrowPolicy(own: Policy, limit: Policy): Policy {
	const { plan: _, serverTools: __, managed: ___, ...rest } = own;
	const managed = unite(own.managed ?? [], limit.managed ?? []);
	const serverTools = share(own.serverTools ?? [], limit.serverTools ?? []);
	return {
		...rest,
		...narrowFiles(own, limit),
		...narrowRunning(own, limit),
		mode: narrowerMode(own.mode, limit.mode),
		folders: [
			...own.folders.filter((folder) => limit.folders.some((outer) => isInside(folder, outer))),
			...limit.folders.filter((folder) => own.folders.some((outer) => folder !== outer && isInside(folder, outer))),
		],
		network: narrowNetwork(own.network, limit.network),
		protect: {
			names: unite(own.protect.names, limit.protect.names),
			paths: unite(own.protect.paths, limit.protect.paths),
			free: share(own.protect.free, limit.protect.free),
		},
		environment: limit.environment,
		limits: limit.limits,
		rules: meet(own.rules, limit.rules, ({ decision }) => decision === "deny"),
		...(serverTools.length > 0 && { serverTools }),
		...(managed.length > 0 && { managed }),
	};
}

type Files = Pick<Policy, "filesystem" | "temporary" | "closed" | "secrets">;

/** As they are where one allows no more than the other; otherwise the lesser access at every place that one names. */
function narrowFiles(own: Policy, limit: Policy): Files {
	const secrets = unite(own.secrets, limit.secrets);
	const temporary = unite(own.temporary, limit.temporary);
	if (areFilesWithin(own, limit, "all")) return { filesystem: own.filesystem, closed: own.closed, secrets, temporary };
	if (areFilesWithin(limit, own, "all"))
		return { filesystem: limit.filesystem, closed: limit.closed, secrets, temporary };
	const both = [own, limit];
	const entries = both.flatMap(({ filesystem }) => filesystem);
	const plain = entries.filter((entry) => !isPattern(entry)).map(({ path }) => path);
	const shut = both.flatMap(({ closed }) => [...closed.places, ...closed.except]);
	const places = [...new Set([...plain, ...shut, ...secrets])];
	const at = (path: string): PolicyEntry =>
		entryAt(path, ACCESS[Math.min(rightAt(own, path, "all"), rightAt(limit, path, "all"))] ?? "none");
	return {
		filesystem: [...places.map(at), ...unite(entries.filter(isPattern), [])],
		closed: {
			places: unite(own.closed.places, limit.closed.places),
			except: share(own.closed.except, limit.closed.except),
		},
		secrets,
		temporary,
	};
}

/** Whether commands may run, and what approvals can open. */
function narrowRunning(own: Policy, limit: Policy): Pick<Policy, "approval" | "commands" | "plan"> {
	const approval = limit.approval === "onRequest" ? own.approval : limit.approval;
	const plan = limit.plan ?? own.plan;
	const lostSandbox = own.noSandbox !== undefined && limit.noSandbox === undefined;
	// Plan mode lets commands write temporary files, and read-only lets approvals open more: no policy does neither.
	const isAtOdds =
		plan !== undefined && [own, limit].some((policy) => policy.mode === "readOnly" && policy.plan === undefined);
	const commands = own.commands && limit.commands && !lostSandbox && !isAtOdds;
	return { approval, commands, ...(plan !== undefined && !isAtOdds && { plan }) };
}

function narrowNetwork(own: Network, limit: Network): Network {
	if (own.kind === "off" || limit.kind === "on") return own;
	if (limit.kind === "off" || own.kind === "on") return limit;
	return { kind: "allow", hosts: meet(own.hosts, limit.hosts, (host) => host.startsWith("!")) };
}

/** What opens something only if both have it; what closes something if one does. */
function meet<T>(own: readonly T[], limit: readonly T[], closes: (value: T) => boolean): readonly T[] {
	return unite(own, limit).filter((value) => closes(value) || (holds(own, value) && holds(limit, value)));
}

function unite<T>(one: readonly T[], other: readonly T[]): readonly T[] {
	return [...new Map([...one, ...other].map((value) => [digestValue(value), value])).values()];
}

function share<T>(one: readonly T[], other: readonly T[]): readonly T[] {
	return one.filter((value) => holds(other, value));
}

function holds<T>(all: readonly T[], value: T): boolean {
	const digest = digestValue(value);
	return all.some((one) => digestValue(one) === digest);
}
