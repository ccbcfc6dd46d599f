import type { ToolCall } from "../../history/history-item.ts";
import { decide } from "../../permissions/decide/decide.ts";
import type { Access, ClosedRead, Verdict } from "../../permissions/policy/policy.ts";
import type { Show } from "../../tools/command-call.ts";
import type { CallFindings, PreparedCall, Shown, ToolOutcome, ToolPorts } from "../../tools/tool.ts";
import { recordDecision } from "../thread/decision-ledger.ts";
import type { ToolContext } from "../thread/running-turn.ts";
import { digestSubject, requestApproval } from "./ask-approval.ts";

/** Decides whether a call may run, asks if necessary, and runs exactly what was allowed or nothing. */
export async function runIfAllowed(
	given: ToolContext,
	call: ToolCall,
	prepared: PreparedCall,
	show: Show,
): Promise<ToolOutcome> {
	const turn = { ...given, tools: bindToCall(given, call, prepared) };
	const { tools, signal } = turn;
	const found = await prepared.look(tools);
	const { access } = found;
	const closed = access.kind === "command" ? await askToRead(turn, call, prepared, access.reads ?? []) : undefined;
	if (closed !== undefined) return closed;
	const verdict = await judge(turn, access);
	// A call that touches nothing needs no permission.
	if (access.kind !== "none" && verdict.kind !== "ask") await record(turn, call, prepared.title, verdict);
	if (verdict.kind === "deny") return { ok: false, reason: verdict.reason };
	if (verdict.kind !== "ask") return found.run(signal, show);
	const allowed = await ask(turn, call, { prepared, found, reason: verdict.reason });
	return "ok" in allowed ? allowed : allowed.run(signal, show);
}

/** The same ports, except that a command knows its call, and asks before it connects to an unlisted host. */
function bindToCall(turn: ToolContext, call: ToolCall, { title }: PreparedCall): ToolPorts {
	const { tools, hosts } = turn;
	const asks = turn.envelope.policy.value.network.kind === "allow";
	const bound = { callId: call.callId, ...(asks && { askHost: hosts.askFor(turn, call, title) }) };
	return { ...tools, runCommand: (asked, show, signal) => tools.runCommand({ ...asked, ...bound }, show, signal) };
}

/** Why it does not run, or undefined if the user lets commands read these places, now or before. */
async function askToRead(
	turn: ToolContext,
	call: ToolCall,
	{ title }: PreparedCall,
	places: readonly ClosedRead[],
): Promise<ToolOutcome | undefined> {
	for (const place of places) {
		const verdict = await judge(turn, { kind: "closedRead", places: [place] });
		if (verdict.kind === "deny") {
			await record(turn, call, `Read ${place.shown}`, verdict);
			return { ok: false, reason: verdict.reason };
		}
		if (verdict.kind === "allow") continue;
		const subject = { kind: "permission" as const, read: [place.shown], command: title };
		const question = { callId: call.callId, title: `Read ${place.shown}`, reason: verdict.reason, subject };
		const approval = await requestApproval(turn, question);
		if (approval.state === "refused") return { ok: false, reason: approval.reason };
		if (approval.state === "aborted") return stopped(turn);
	}
	return undefined;
}

function stopped(turn: ToolContext): never {
	turn.stop();
	throw new DOMException("The user stopped the turn.", "AbortError");
}

interface PendingCall {
	readonly prepared: PreparedCall;
	readonly found: CallFindings;
	readonly reason: string;
}

/** Why it does not run, or what the user allowed, as it would run now. */
async function ask(
	turn: ToolContext,
	{ callId }: ToolCall,
	{ prepared, found, reason }: PendingCall,
): Promise<ToolOutcome | Shown> {
	const { tools, signal } = turn;
	const shown = await found.show(signal);
	if (shown === undefined) return { ok: false, reason };
	if ("problem" in shown) return { ok: false, reason: shown.problem };
	const approval = await requestApproval(turn, { callId, title: prepared.title, reason, subject: shown.subject });
	if (approval.state === "refused") return { ok: false, reason: approval.reason };
	if (approval.state === "aborted") return stopped(turn);
	// Something may have changed while the user was thinking.
	const now = await prepared.look(tools);
	const then = await now.show(signal);
	const isSame = then !== undefined && !("problem" in then) && digestSubject(turn, then.subject) === approval.digest;
	const isStill = readsAlike(found.access, now.access) && (await judge(turn, now.access)).kind !== "deny";
	return isSame && isStill ? then : changedMeanwhile();
}

function readsAlike(before: Access, now: Access): boolean {
	const reads = (access: Access) => (access.kind === "command" ? access.reads : undefined);
	return JSON.stringify(reads(before)) === JSON.stringify(reads(now));
}

function changedMeanwhile(): ToolOutcome {
	return { ok: false, reason: "The request changed after the approval, so nothing was done. Check it and try again." };
}

/** The verdict of the turn's policy, which can only become stricter if the workspace has lost its trust. */
export async function judge(turn: ToolContext, access: Access): Promise<Verdict> {
	const verdict = decide(access, await turn.tools.policy());
	if (access.kind === "none" || access.kind === "read" || turn.isTrusted()) return verdict;
	return { kind: "deny", reason: "The workspace is no longer trusted, so nothing can be changed or run." };
}

/** Records a verdict that needed no approval. */
export function record(
	turn: ToolContext,
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
