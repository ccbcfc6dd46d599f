import type { ApprovalPolicy, PermissionMode, SandboxProblemCode } from "../../protocol/settings/policy-settings.ts";
import { isPattern } from "../../protocol/settings/policy-settings.ts";
import type { Network, Policy } from "../policy/policy.ts";
import { findProblem } from "../policy/sandbox-problem.ts";
import { asksBeforeCommands, describeObstacle, findObstacle, mayRun } from "../reach/may-run.ts";
import { oneLine } from "./one-line.ts";

/** Limit for paths of one kind that are listed; the rest is counted. */
const MAX_NAMED = 12;

/** A policy in plain sentences, the same for the model and the user. */
export interface PolicyWords {
	readonly mode: string;
	readonly files: readonly string[];
	readonly commands: string;
	readonly network: string;
	readonly approval: string;
}

export function describePolicy(policy: Policy): PolicyWords {
	return {
		mode: MODE_NAMES[policy.mode],
		files: describeFiles(policy),
		commands: describeCommands(policy),
		network: describeNetwork(isUncontained(policy) ? { kind: "on" } : policy.network),
		approval: describeApproval(policy),
	};
}

/** All sentences, one per line, as told to the model and shown to the user. */
export function policyLines({ mode, files, commands, network, approval }: PolicyWords): readonly string[] {
	return [`Mode: ${mode}.`, ...files, commands, network, approval];
}

/** A few words, for a chip or a line of the transcript. */
export function namePolicy(policy: Policy): string {
	return [
		MODE_NAMES[policy.mode],
		policy.plan === undefined ? undefined : "plan mode",
		mayRun(policy) ? undefined : "no commands",
		isUncontained(policy) ? "no sandbox" : nameNetwork(policy.network),
		policy.approval === "onRequest" ? undefined : APPROVAL_NAMES[policy.approval],
	]
		.filter((part) => part !== undefined)
		.join(", ");
}

/** The display name of each mode, for the user and the model. */
export const MODE_NAMES: Readonly<Record<PermissionMode, string>> = {
	readOnly: "Read Only",
	ask: "Ask First",
	workspaceWrite: "Workspace",
	full: "Full Access",
};

function nameNetwork(network: Network): string {
	const isEmpty = network.kind === "allow" && network.hosts.every((host) => host.startsWith("!"));
	return isEmpty ? "sites on request" : NETWORK_NAMES[network.kind];
}

const NETWORK_NAMES: Readonly<Record<Network["kind"], string>> = {
	off: "network off",
	allow: "allowed sites",
	on: "network on",
};

const APPROVAL_NAMES: Readonly<Record<ApprovalPolicy, string>> = {
	untrusted: "always asks",
	onRequest: "asks when needed",
	never: "never asks",
};

function describeFiles(policy: Policy): readonly string[] {
	const paths = (access: "read" | "write" | "none") =>
		policy.filesystem.filter((entry) => entry.access === access).map((entry) => entry.path);
	const closed = policy.filesystem.filter((entry) => entry.access === "none");
	const [patterns, places] = [closed.filter(isPattern), closed.filter((entry) => !isPattern(entry))];
	return [
		line("Readable", paths("read")),
		line("Writable", paths("write")),
		line(
			"Blocked, no read or write",
			places.map(({ path }) => path),
		),
		line(
			"Blocked patterns",
			patterns.map(({ path }) => path),
		),
		policy.filesystem.length === 0
			? "No folder is open: no files can be read or written."
			: `The most specific path wins; all other paths are blocked. ${policy.closed.places.length > 0 ? HOMES_CLOSED : KEYS_CLOSED}`,
		mayRun(policy) && !isUncontained(policy) && policy.temporary.length > 0
			? `Private to this thread: ${listSome(policy.temporary)}${policy.plan === undefined ? "" : ", the only folder that commands can write to"}. Other programs' files there are hidden.`
			: undefined,
		paths("write").length > 0
			? "Version control, editor and agent configuration in writable folders always needs approval."
			: undefined,
	].filter((text) => text !== undefined);
}

const KEYS_CLOSED = "Stored keys and passwords are blocked too.";
const HOMES_CLOSED =
	"Home folders, keys and passwords are blocked too, except programs, toolchains and the paths listed here.";

function line(label: string, paths: readonly string[]): string | undefined {
	if (paths.length === 0) return undefined;
	return `${label}: ${listSome(paths)}`;
}

function listSome(names: readonly string[]): string {
	const more = names.length > MAX_NAMED ? `, and ${names.length - MAX_NAMED} more` : "";
	return `${names.slice(0, MAX_NAMED).map(oneLine).join(", ")}${more}`;
}

/** Commands may run, but nothing contains them. */
function isUncontained(policy: Policy): boolean {
	return policy.noSandbox !== undefined && mayRun(policy);
}

function describeCommands(policy: Policy): string {
	if (policy.commands && policy.noSandbox !== undefined) return describeUncontained(policy, policy.noSandbox);
	if (!mayRun(policy)) return "Commands cannot run.";
	if (policy.mode === "full") return "Commands run with Full Access; stored keys and passwords stay blocked.";
	return "Commands run in a sandbox that enforces this; blocked operations fail.";
}

function describeUncontained(policy: Policy, code: SandboxProblemCode): string {
	const obstacle = findObstacle(policy);
	const asks = policy.mode === "full" ? "commands run" : "each command needs the user's approval and runs";
	const how =
		obstacle === undefined
			? `This machine has no sandbox: ${asks} with the user's rights. The limits above are for the other tools.`
			: describeObstacle(obstacle).text;
	return `${how} To get a sandbox: ${findProblem(code).fix}`;
}

function describeNetwork(network: Network): string {
	switch (network.kind) {
		case "off":
			return "Network: off.";
		case "allow":
			return describeHosts(network.hosts);
		case "on":
			return "Network: on.";
	}
}

function describeHosts(hosts: readonly string[]): string {
	const closed = hosts.filter((host) => host.startsWith("!")).map((host) => host.slice(1));
	const never = closed.length === 0 ? "" : `; never ${listSome(closed)}`;
	const open = hosts.filter((host) => !host.startsWith("!"));
	const only = open.length === 0 ? "no sites" : `only ${listSome(open)}`;
	return `Network: ${only}${never}; HTTP and HTTPS, via the proxy in $HTTP_PROXY.`;
}

function describeApproval(policy: Policy): string {
	if (!policy.commands) return "Anything else is refused without asking.";
	if (policy.plan !== undefined) return describePlan(policy);
	switch (policy.approval) {
		case "never":
			return "Approvals are off: anything not allowed is refused. Do not ask.";
		case "untrusted":
			return "The user approves every edit and every command that no rule allows.";
		case "onRequest":
			return policy.mode === "ask"
				? "The user approves every edit and every command."
				: "Anything else needs the user's approval.";
	}
}

function describePlan(policy: Policy): string {
	const asks = policy.approval === "untrusted" || asksBeforeCommands(policy);
	const asked =
		policy.approval === "never" ? "Approvals are off." : "The user approves every command that no rule allows.";
	return `Plan mode: nothing can be changed in this turn, and approvals cannot override that.${asks ? ` ${asked}` : ""}`;
}
