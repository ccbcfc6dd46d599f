import type { Policy } from "../policy/policy.ts";

/** Whether any edit is possible under a policy, with or without approval. */
export function mayEdit(policy: Policy): boolean {
	if (!policy.commands || policy.plan !== undefined) return false;
	// In read-only mode without approvals every edit would be refused.
	return !(policy.mode === "readOnly" && policy.approval === "never");
}

/** Whether any command could run under a policy: in a trusted workspace, and contained. */
export function mayRun(policy: Policy): boolean {
	return policy.commands && policy.noSandbox === undefined;
}

/** Whether commands can write to their thread's temporary files. */
export function writesTemporary({ mode, plan }: Pick<Policy, "mode" | "plan">): boolean {
	return mode !== "readOnly" || plan !== undefined;
}

/** Whether every command without a saved rule needs approval, however little it may do. */
export function asksBeforeCommands(policy: Policy): boolean {
	return policy.mode === "ask" || policy.plan?.mode === "ask";
}
