import type { ApprovalPolicy, PermissionMode } from "../../protocol/settings/policy-settings.ts";
import { isPattern } from "../../protocol/settings/policy-settings.ts";
import type { Network, Policy } from "../policy/policy.ts";
import { problemOf } from "../policy/sandbox-problem.ts";
import { asksBeforeCommands, mayRun } from "../reach/may-run.ts";
import { oneLine } from "./one-line.ts";

/** Paths of one kind that are named one by one; the rest is counted. */
const MAX_NAMED = 12;

/** A policy in plain sentences: the same for the model and for the user. */
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
		network: describeNetwork(policy.network),
		approval: describeApproval(policy),
	};
}

/** All of it, a line each: what the model is told and what the user is shown. */
export function policyLines({ mode, files, commands, network, approval }: PolicyWords): readonly string[] {
	return [`Mode: ${mode}.`, ...files, commands, network, approval];
}

/** In a few words, for a chip or a line of the transcript. */
export function namePolicy(policy: Policy): string {
	return [
		MODE_NAMES[policy.mode],
		policy.plan === undefined ? undefined : "plan mode",
		mayRun(policy) ? undefined : "no commands",
		nameNetwork(policy.network),
		policy.approval === "onRequest" ? undefined : APPROVAL_NAMES[policy.approval],
	]
		.filter((part) => part !== undefined)
		.join(", ");
}

const MODE_NAMES: Readonly<Record<PermissionMode, string>> = {
	readOnly: "read-only",
	ask: "ask first",
	workspaceWrite: "workspace-write",
	full: "full access",
};

function nameNetwork(network: Network): string {
	const isEmpty = network.kind === "allow" && network.hosts.every((host) => host.startsWith("!"));
	return isEmpty ? "hosts on request" : NETWORK_NAMES[network.kind];
}

const NETWORK_NAMES: Readonly<Record<Network["kind"], string>> = {
	off: "no network",
	allow: "some hosts",
	on: "network on",
};

const APPROVAL_NAMES: Readonly<Record<ApprovalPolicy, string>> = {
	untrusted: "asks about everything",
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
			"Closed, never read or written",
			places.map(({ path }) => path),
		),
		line(
			"Closed wherever they match",
			patterns.map(({ path }) => path),
		),
		policy.filesystem.length === 0
			? "No folder is open: no file can be read or written."
			: `The most specific path wins; what no path covers is closed. ${policy.closed.places.length > 0 ? HOMES_CLOSED : KEYS_CLOSED}`,
		mayRun(policy) && policy.temporary.length > 0
			? `Private to this thread: ${some(policy.temporary)}${policy.plan === undefined ? "" : ", the only place that commands can write to"}. What other programs keep there is hidden.`
			: undefined,
		paths("write").length > 0
			? "Version control, editor and agent configuration below writable folders needs an approval of its own."
			: undefined,
	].filter((text) => text !== undefined);
}

const KEYS_CLOSED = "Places where keys and passwords are kept are closed too.";
const HOMES_CLOSED =
	"Home folders, keys and passwords are closed too, except for programs, toolchains and the paths named here.";

function line(label: string, paths: readonly string[]): string | undefined {
	if (paths.length === 0) return undefined;
	return `${label}: ${some(paths)}`;
}

function some(names: readonly string[]): string {
	const more = names.length > MAX_NAMED ? `, and ${names.length - MAX_NAMED} more` : "";
	return `${names.slice(0, MAX_NAMED).map(oneLine).join(", ")}${more}`;
}

function describeCommands(policy: Policy): string {
	if (policy.commands && policy.noSandbox !== undefined) {
		const { message, fix } = problemOf(policy.noSandbox);
		return `Commands cannot be run. ${message} What the user can do: ${fix}`;
	}
	if (!mayRun(policy)) return "Commands cannot be run.";
	if (policy.mode === "full") return "Commands run with full access; keys and passwords stay closed.";
	return "Commands run in a sandbox that enforces exactly this; what it forbids fails.";
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
	const never = closed.length === 0 ? "" : `; never ${some(closed)}`;
	const open = hosts.filter((host) => !host.startsWith("!"));
	const only = open.length === 0 ? "no host" : `only ${some(open)}`;
	return `Network: ${only}${never}; HTTP and HTTPS, by the proxy in the environment.`;
}

function describeApproval(policy: Policy): string {
	if (!policy.commands) return "Nothing beyond this is done, and nobody is asked about it.";
	if (policy.plan !== undefined) return describePlan(policy);
	switch (policy.approval) {
		case "never":
			return "Nobody answers approval requests: what is not allowed is refused. Do not ask.";
		case "untrusted":
			return "The user is asked before every edit and every command that no saved rule allows.";
		case "onRequest":
			return policy.mode === "ask"
				? "The user is asked before every edit and every command."
				: "The user is asked before anything beyond this is done.";
	}
}

function describePlan(policy: Policy): string {
	const asks = policy.approval === "untrusted" || asksBeforeCommands(policy);
	const asked =
		policy.approval === "never"
			? "Nobody answers approval requests."
			: "The user is asked before every command that no saved rule allows.";
	return `Plan mode: nothing can be changed in this turn, and no approval allows it.${asks ? ` ${asked}` : ""}`;
}
