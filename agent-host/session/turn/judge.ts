import { decide } from "../../permissions/decide.ts";
import type { Access, Verdict } from "../../permissions/policy.ts";
import { recordDecision } from "../ledger.ts";
import type { ToolCall } from "./run-step.ts";
import type { Acting } from "./turn.ts";

/** The verdict of the turn's policy, which a workspace that has lost its trust can only tighten. */
export async function judge(turn: Acting, access: Access): Promise<Verdict> {
	const verdict = decide(access, await turn.tools.policy());
	if (access.kind === "none" || access.kind === "read" || turn.isTrusted()) return verdict;
	return { kind: "deny", reason: "The workspace is no longer trusted, so nothing is changed or run." };
}

/** Notes a verdict that needed no question. */
export function record(
	turn: Acting,
	{ callId }: Pick<ToolCall, "callId">,
	title: string,
	verdict: Extract<Verdict, { kind: "allow" | "deny" }>,
): Promise<void> {
	const rule = verdict.kind === "allow" ? verdict.rule : undefined;
	return recordDecision(turn, {
		callId,
		what: title,
		decision: verdict.kind,
		by: rule === undefined ? "policy" : "rule",
		reason: verdict.reason,
		digest: turn.envelope.policy.digest,
		...(rule && { rule }),
	});
}
