import { joinSaid, listSaid, type Said, say } from "../../protocol/say.ts";
import { SENTENCES } from "../../protocol/sentences.ts";
import type { ApprovalPolicy, PermissionMode, SandboxProblemCode } from "../../protocol/settings/policy-settings.ts";
import { isPattern } from "../../protocol/settings/policy-settings.ts";
import type { ManagedPolicy, Network, Policy } from "../policy/policy.ts";
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
	/** Present if the machine's administrator limits anything. */
	readonly managed?: string | undefined;
}

export function describePolicy(policy: Policy): PolicyWords {
	const { files, commands, network, approval, managed } = sayParts(policy);
	return {
		mode: MODE_NAMES[policy.mode],
		files: files.map(({ text }) => text),
		commands: commands.text,
		network: network.text,
		approval: approval.text,
		...(managed && { managed: managed.text }),
	};
}

/** All sentences, one per line, as told to the model. */
export function policyLines({ mode, files, commands, network, approval, managed }: PolicyWords): readonly string[] {
	return [`Mode: ${mode}.`, ...files, commands, network, approval, ...(managed === undefined ? [] : [managed])];
}

/** The same sentences by name, for the user. */
export function sayPolicy(policy: Policy): readonly Said[] {
	const { files, commands, network, approval, managed } = sayParts(policy);
	return [say(MODES[policy.mode].line), ...files, commands, network, approval, ...(managed ? [managed] : [])];
}

/** What a command could connect to. */
export function sayNetwork(policy: Policy): Said {
	return describeNetwork(isUncontained(policy) ? { kind: "on" } : policy.network);
}

function sayParts(policy: Policy) {
	return {
		files: describeFiles(policy),
		commands: describeCommands(policy),
		network: sayNetwork(policy),
		approval: describeApproval(policy),
		managed: policy.managed && describeManaged(policy.managed),
	};
}

/** A few words, for a chip or a line of the transcript. */
export function namePolicy(policy: Policy): string {
	return sayPolicyName(policy).text;
}

export function sayPolicyName(policy: Policy): Said {
	const approval = APPROVAL_NAMES[policy.approval];
	return listSaid(
		...[
			say(MODES[policy.mode].name),
			policy.plan === undefined ? undefined : say(policy.plan.review ? "name-review" : "name-plan"),
			mayRun(policy) ? undefined : say("name-no-commands"),
			say(isUncontained(policy) ? "name-no-sandbox" : nameNetwork(policy.network)),
			approval && say(approval),
		].filter((part) => part !== undefined),
	);
}

const MODES = {
	readOnly: { name: "mode-read-only", line: "policy-read-only" },
	ask: { name: "mode-ask", line: "policy-ask" },
	workspaceWrite: { name: "mode-workspace", line: "policy-workspace" },
	full: { name: "mode-full", line: "policy-full" },
} as const satisfies Readonly<Record<PermissionMode, unknown>>;

/** The display name of each mode, for the user and the model. */
export const MODE_NAMES: Readonly<Record<PermissionMode, string>> = {
	readOnly: SENTENCES["mode-read-only"],
	ask: SENTENCES["mode-ask"],
	workspaceWrite: SENTENCES["mode-workspace"],
	full: SENTENCES["mode-full"],
};

function nameNetwork(network: Network) {
	const isEmpty = network.kind === "allow" && network.hosts.every((host) => host.startsWith("!"));
	return isEmpty ? "name-network-asks" : NETWORK_NAMES[network.kind];
}

const NETWORK_NAMES = {
	off: "name-network-off",
	allow: "name-network-allow",
	on: "name-network-on",
} as const satisfies Readonly<Record<Network["kind"], unknown>>;

const APPROVAL_NAMES = {
	untrusted: "name-untrusted",
	onRequest: undefined,
	never: "name-never",
} as const satisfies Readonly<Record<ApprovalPolicy, unknown>>;

function describeFiles(policy: Policy): readonly Said[] {
	const paths = (access: "read" | "write" | "none") =>
		policy.filesystem.filter((entry) => entry.access === access).map((entry) => entry.path);
	const closed = policy.filesystem.filter((entry) => entry.access === "none");
	const [patterns, places] = [closed.filter(isPattern), closed.filter((entry) => !isPattern(entry))];
	return [
		line("policy-readable", paths("read")),
		line("policy-writable", paths("write")),
		line(
			"policy-blocked",
			places.map(({ path }) => path),
		),
		line(
			"policy-patterns",
			patterns.map(({ path }) => path),
		),
		policy.filesystem.length === 0
			? say("policy-no-folder")
			: joinSaid(say("policy-order"), say(policy.closed.places.length > 0 ? "policy-homes" : "policy-keys")),
		mayRun(policy) && !isUncontained(policy)
			? line(policy.plan === undefined ? "policy-private" : "policy-private-plan", policy.temporary)
			: undefined,
		paths("write").length > 0 ? say("policy-protected") : undefined,
	].filter((text) => text !== undefined);
}

type PathLine = `policy-${"readable" | "writable" | "blocked" | "patterns" | "private" | "private-plan"}`;

function line(sentence: PathLine, paths: readonly string[]): Said | undefined {
	return paths.length === 0 ? undefined : say(sentence, { paths: listSome(paths) });
}

function listSome(names: readonly string[]): string {
	const more = names.length > MAX_NAMED ? `, … (+${names.length - MAX_NAMED})` : "";
	return `${names.slice(0, MAX_NAMED).map(oneLine).join(", ")}${more}`;
}

/** Commands may run, but nothing contains them. */
function isUncontained(policy: Policy): boolean {
	return policy.noSandbox !== undefined && mayRun(policy);
}

function describeCommands(policy: Policy): Said {
	if (policy.commands && policy.noSandbox !== undefined) return describeUncontained(policy, policy.noSandbox);
	if (!mayRun(policy)) return say("policy-no-commands");
	return say(policy.mode === "full" ? "policy-commands-full" : "policy-commands");
}

function describeUncontained(policy: Policy, code: SandboxProblemCode): Said {
	const obstacle = findObstacle(policy);
	const how =
		obstacle === undefined
			? say(policy.mode === "full" ? "policy-uncontained-full" : "policy-uncontained")
			: describeObstacle(obstacle);
	return joinSaid(how, say("policy-get-sandbox"), say(`${code}-fix`));
}

function describeNetwork(network: Network): Said {
	switch (network.kind) {
		case "off":
			return say("policy-network-off");
		case "allow":
			return describeHosts(network.hosts);
		case "on":
			return say("policy-network-on");
	}
}

function describeHosts(hosts: readonly string[]): Said {
	const closed = hosts.filter((host) => host.startsWith("!")).map((host) => host.slice(1));
	const [sites, never] = [listSome(hosts.filter((host) => !host.startsWith("!"))), listSome(closed)];
	if (never === "") return sites === "" ? say("policy-sites-none") : say("policy-sites", { sites });
	return sites === "" ? say("policy-sites-none-never", { never }) : say("policy-sites-never", { sites, never });
}

function describeApproval(policy: Policy): Said {
	if (!policy.commands) return say("policy-refuses");
	if (policy.plan !== undefined) return describePlan(policy);
	switch (policy.approval) {
		case "never":
			return say("policy-never");
		case "untrusted":
			return say("policy-untrusted");
		case "onRequest":
			return say(policy.mode === "ask" ? "policy-asks-all" : "policy-asks");
	}
}

function describeManaged(managed: readonly ManagedPolicy[]): Said {
	return say("policy-managed", { files: listSome(managed.map(({ file }) => file)) });
}

function describePlan(policy: Policy): Said {
	const holds = say(policy.plan?.review ? "policy-review" : "policy-plan");
	if (policy.approval !== "untrusted" && !asksBeforeCommands(policy)) return holds;
	return joinSaid(holds, say(policy.approval === "never" ? "policy-plan-never" : "policy-plan-asks"));
}
