import type { Policy } from "./policy.ts";

/** Whether any edit could be made under a policy, with or without a question. */
export function mayEdit(policy: Policy): boolean {
	if (!policy.commands || policy.plan !== undefined) return false;
	// Each edit is asked about, and nobody can be asked.
	return !(policy.approval === "never" && (policy.mode === "readOnly" || policy.mode === "ask"));
}

/** Whether any command could run under a policy, with or without a question. */
export function mayRun(policy: Policy): boolean {
	if (!policy.commands) return false;
	return !(policy.approval === "never" && asksBeforeCommands(policy) && policy.rules.length === 0);
}

/** Whether commands can write to their thread's own temporary files. */
export function writesTemporary({ mode, plan }: Pick<Policy, "mode" | "plan">): boolean {
	return mode !== "readOnly" || plan !== undefined;
}

/** Whether each command is asked about that no saved rule allows, however little it may do. */
export function asksBeforeCommands(policy: Policy): boolean {
	return policy.mode === "ask" || policy.plan?.mode === "ask";
}
