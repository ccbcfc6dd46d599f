import type { ToolCall } from "../../history/history-item.ts";
import { decide } from "../../permissions/decide/decide.ts";
import type { Access, ClosedRead, Verdict } from "../../permissions/policy/policy.ts";
import type { AskedQuestion } from "../../protocol/approval/question.ts";
import { type Said, say } from "../../protocol/say.ts";
import type { Show } from "../../tools/command-call.ts";
import type { CallFindings, PreparedCall, Shown } from "../../tools/tool.ts";
import type { ServerCall, ToolOutcome, ToolPorts, UserAnswers } from "../../tools/tool-ports.ts";
import { runHooks } from "../hooks/run-hooks.ts";
import { commandIn } from "../thread/call-title.ts";
import { recordDecision } from "../thread/decision-ledger.ts";
import type { ToolContext } from "../thread/running-turn.ts";
import { asReason, digestSubject, requestApproval } from "./ask-approval.ts";
import { askQuestion } from "./ask-question.ts";
import { describeCall } from "./run-hooked.ts";

/** Decides whether a call may run, asks if necessary, and runs exactly what was allowed or nothing. */
export async function runIfAllowed(
	given: ToolContext,
	call: ToolCall,
	prepared: PreparedCall,
	show: Show,
): Promise<ToolOutcome> {
	const turn = { ...given, tools: bindToCall(given, call, prepared) };
	const { tools } = turn;
	const found = await prepared.look(tools);
	const { access } = found;
	const closed = access.kind === "command" ? await askToRead(turn, call, prepared, access.reads ?? []) : undefined;
	if (closed !== undefined) return closed;
	const verdict = await judgeWithHooks(turn, access);
	// A call that touches nothing needs no permission.
	if (access.kind !== "none" && verdict.kind !== "ask") await record(turn, call, prepared.title, verdict);
	if (verdict.kind === "deny") return { ok: false, reason: verdict.reason.text };
	if (verdict.kind !== "ask") return runFound(turn, found, access, show);
	const { block } = await runHooks(turn, "PermissionRequest", describeCall(call), call.name);
	if (block !== undefined) return { ok: false, reason: `A hook denied this: ${block}` };
	const allowed = await ask(turn, call, { prepared, found, reason: verdict.reason });
	return "ok" in allowed ? allowed : runFound(turn, allowed, access, show);
}

/** Where it works is noted: the folder may have instructions of its own. */
function runFound({ touched, signal }: ToolContext, { run }: Pick<Shown, "run">, access: Access, show: Show) {
	touched.note(access);
	return run(signal, show);
}

/** A hook can have the user asked, never the reverse. */
async function judgeWithHooks(turn: ToolContext, access: Access): Promise<Verdict> {
	const verdict = await judge(turn, access);
	if (turn.mustAsk === undefined || verdict.kind !== "allow") return verdict;
	const reason = say("hook-asks", { reason: turn.mustAsk });
	return turn.envelope.policy.value.approval === "never" ? { kind: "deny", reason } : { kind: "ask", reason };
}

/** The same ports, except that a command knows its call, and that the user can be asked in this turn. */
function bindToCall(turn: ToolContext, call: ToolCall, { title }: PreparedCall): ToolPorts {
	const { tools, hosts } = turn;
	const asks = turn.envelope.policy.value.network.kind === "allow";
	const bound = { callId: call.callId, ...(asks && { askHost: hosts.askFor(turn, call, title) }) };
	return {
		...tools,
		runCommand: (asked, show, signal) => tools.runCommand({ ...asked, ...bound }, show, signal),
		fetchPage: (asked, signal) => tools.fetchPage({ ...asked, askHost: hosts.askFor(turn, call, title) }, signal),
		askUser: (questions) => askUser(turn, questions),
		startAgent: (asked) => tools.startAgent({ ...asked, callId: call.callId }),
		callServer: (asked) => tools.callServer({ ...asked, ...askingIn(turn) }),
	};
}

/** How a server asks the user in this turn. Where approvals are off, it gets no answer. */
function askingIn(turn: ToolContext): Pick<ServerCall, "owner" | "ask"> {
	const { identity, policy } = turn.envelope;
	const mayAsk = policy.value.approval !== "never";
	return {
		owner: identity.threadId,
		ask: async (subject, signal) => {
			if (!mayAsk) return { choice: "dismiss" };
			const choices = subject.kind === "address" ? (["open", "dismiss"] as const) : (["answer", "dismiss"] as const);
			return askQuestion(turn, subject, [...choices], AbortSignal.any([turn.signal, signal]));
		},
	};
}

async function askUser(turn: ToolContext, questions: readonly AskedQuestion[]): Promise<UserAnswers> {
	const answer = await askQuestion(turn, { kind: "form", questions: [...questions] }, ["answer", "dismiss"]);
	if (answer === undefined) return { state: "unavailable" };
	return answer.answers === undefined ? { state: "skipped" } : { state: "answered", answers: answer.answers };
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
			await record(turn, call, say("call-read", { path: place.shown }), verdict);
			return { ok: false, reason: verdict.reason.text };
		}
		if (verdict.kind === "allow") continue;
		const subject = { kind: "permission" as const, read: [place.shown], command: commandIn(title) };
		const question = {
			callId: call.callId,
			title: say("call-read", { path: place.shown }),
			reason: verdict.reason,
			subject,
		};
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
	readonly reason: Said;
}

/** Why it does not run, or what the user allowed, as it would run now. */
async function ask(
	turn: ToolContext,
	{ callId }: ToolCall,
	{ prepared, found, reason }: PendingCall,
): Promise<ToolOutcome | Shown> {
	const { tools, signal } = turn;
	const shown = await found.show(signal);
	if (shown === undefined) return { ok: false, reason: reason.text };
	if ("problem" in shown) return { ok: false, reason: shown.problem };
	const approval = await requestApproval(turn, { callId, title: prepared.title, reason, subject: shown.subject });
	if (approval.state === "refused") return { ok: false, reason: approval.reason };
	if (approval.state === "aborted") return stopped(turn);
	// Something may have changed while the user was thinking.
	const now = await prepared.look(tools);
	const then = await now.show(signal);
	const isSame = then !== undefined && !("problem" in then) && digestSubject(turn, then.subject) === approval.digest;
	const verdict = await judge(turn, now.access);
	if (verdict.kind === "deny") return { ok: false, reason: verdict.reason.text };
	return isSame && readsAlike(found.access, now.access) ? then : changedMeanwhile();
}

function readsAlike(before: Access, now: Access): boolean {
	const reads = (access: Access) => (access.kind === "command" ? access.reads : undefined);
	return JSON.stringify(reads(before)) === JSON.stringify(reads(now));
}

function changedMeanwhile(): ToolOutcome {
	return { ok: false, reason: "The request changed after the approval, so nothing was done. Check it and try again." };
}

/** The verdict of the turn's policy. If trust or rights were lost since it was sealed, the turn only reads. */
export async function judge(turn: ToolContext, access: Access): Promise<Verdict> {
	const { policy, editPolicy } = turn.tools;
	const verdict = decide(access, await (access.kind === "edit" ? editPolicy() : policy()));
	if (access.kind === "none" || access.kind === "read") return verdict;
	if (!turn.isTrusted()) return { kind: "deny", reason: say("trust-lost") };
	const isWithinRights = (await turn.thread.running?.isWithinRights) ?? true;
	return isWithinRights ? verdict : { kind: "deny", reason: say("rights-lost") };
}

/** Records a verdict that needed no approval. */
export function record(
	turn: ToolContext,
	{ callId }: Pick<ToolCall, "callId">,
	title: Said,
	verdict: Extract<Verdict, { kind: "allow" | "deny" }>,
): Promise<void> {
	const { rules } = verdict;
	const serverTool = verdict.kind === "allow" ? verdict.serverTool : undefined;
	return recordDecision(turn, {
		callId,
		what: title,
		decision: verdict.kind,
		by: rules === undefined && serverTool === undefined ? "policy" : "rule",
		...asReason(verdict.reason),
		digest: turn.envelope.policy.digest,
		...(rules && { rules: [...rules] }),
		...(serverTool && { serverTool }),
	});
}
