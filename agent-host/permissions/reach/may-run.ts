import { type Said, say } from "../../protocol/say.ts";
import type { ServerToolRule } from "../../protocol/settings/policy-settings.ts";
import type { Policy } from "../policy/policy.ts";

/** Whether any edit is possible under a policy, with or without approval. */
export function mayEdit(policy: Policy): boolean {
	if (!policy.commands || policy.plan !== undefined) return false;
	// In read-only mode without approvals every edit would be refused.
	return !(policy.mode === "readOnly" && policy.approval === "never");
}

/** Whether tools of MCP servers can be called, with or without approval: they may change anything. */
export function mayCallServers({ commands, plan, approval, mode, serverTools }: Policy): boolean {
	return commands && plan === undefined && (approval !== "never" || mode === "full" || serverTools !== undefined);
}

/** Whether web pages can be fetched. What the user or an administrator has switched off is not asked about. */
export function mayFetch({ commands, plan, approval, network }: Policy): boolean {
	return commands && plan === undefined && approval !== "never" && network.kind !== "off";
}

/** Whether a tool of a server could be called: with approvals off, only under a rule for exactly this definition. */
export function mayCallTool(policy: Policy, tool: ServerToolRule): boolean {
	if (!mayCallServers(policy)) return false;
	return policy.approval !== "never" || policy.mode === "full" || findToolRule(policy, tool) !== undefined;
}

/** The rule that allows a tool. A server that is configured or described in another way is another one. */
export function findToolRule(
	{ serverTools = [] }: Policy,
	{ server, tool, definition }: ServerToolRule,
): ServerToolRule | undefined {
	return serverTools.find((rule) => rule.server === server && rule.tool === tool && rule.definition === definition);
}

/** Whether any command could run under a policy: in a trusted workspace, contained or with the user's approval. */
export function mayRun(policy: Policy): boolean {
	return policy.commands && (policy.noSandbox === undefined || findObstacle(policy) === undefined);
}

/** Why no command runs without a sandbox: what the policy says could not be kept, or nobody can be asked. */
export type Obstacle =
	| { readonly kind: "plan" | "never" }
	/** The user closed this path by name. */
	| { readonly kind: "closed"; readonly path: string }
	/** The machine's administrator wants every command in a sandbox. */
	| { readonly kind: "managed"; readonly file: string };

/** What keeps every command from running on a machine without a sandbox, if anything does. */
export function findObstacle({ plan, filesystem, approval, mode, managed = [] }: Policy): Obstacle | undefined {
	const contained = managed.find(({ sandbox }) => sandbox === "always");
	if (contained !== undefined) return { kind: "managed", file: contained.file };
	if (plan !== undefined) return { kind: "plan" };
	const closed = filesystem.find((entry) => entry.access === "none");
	if (closed !== undefined) return { kind: "closed", path: closed.path };
	return approval === "never" && mode !== "full" ? { kind: "never" } : undefined;
}

export function describeObstacle(obstacle: Obstacle): Said {
	switch (obstacle.kind) {
		case "plan":
			return say("uncontained-in-plan");
		case "never":
			return say("uncontained-never");
		case "closed":
			return say("uncontained-closed", { path: obstacle.path });
		case "managed":
			return say("uncontained-managed", { file: obstacle.file });
	}
}

/** Whether commands can write to their thread's temporary files. */
export function writesTemporary({ mode, plan }: Pick<Policy, "mode" | "plan">): boolean {
	return mode !== "readOnly" || plan !== undefined;
}

/** Whether every command without a saved rule needs approval, however little it may do. */
export function asksBeforeCommands(policy: Policy): boolean {
	return policy.mode === "ask" || policy.plan?.mode === "ask";
}
