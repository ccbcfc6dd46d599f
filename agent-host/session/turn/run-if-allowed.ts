import type { Access, ClosedRead } from "../../permissions/policy.ts";
import type { Show } from "../../tools/command.ts";
import type { PreparedCall, Shown, Sighting, ToolOutcome, ToolPorts } from "../../tools/tool.ts";
import { digestSubject, seekApproval } from "./approvals.ts";
import { judge, record } from "./judge.ts";
import type { ToolCall } from "./run-step.ts";
import type { Acting } from "./turn.ts";

/** Decides whether a call may run, asks when it must, and runs exactly what was allowed or nothing. */
export async function runIfAllowed(
	given: Acting,
	call: ToolCall,
	prepared: PreparedCall,
	show: Show,
): Promise<ToolOutcome> {
	const turn = { ...given, tools: withHostApprovals(given, call, prepared) };
	const { tools, signal } = turn;
	const found = await prepared.look(tools);
	const { access } = found;
	const closed = access.kind === "command" ? await askToRead(turn, call, prepared, access.reads ?? []) : undefined;
	if (closed !== undefined) return closed;
	const verdict = await judge(turn, access);
	// What touches nothing needs no permission.
	if (access.kind !== "none" && verdict.kind !== "ask") await record(turn, call, prepared.title, verdict);
	if (verdict.kind === "deny") return { ok: false, reason: verdict.reason };
	if (verdict.kind !== "ask") return found.run(signal, show);
	const allowed = await ask(turn, call, { prepared, found, reason: verdict.reason });
	return "ok" in allowed ? allowed : allowed.run(signal, show);
}

/** The same effects, where a command that meets a host that is not on the list asks about it. */
function withHostApprovals(turn: Acting, call: ToolCall, { title }: PreparedCall): ToolPorts {
	const { tools, hosts } = turn;
	if (turn.envelope.policy.value.network.kind !== "allow") return tools;
	const askHost = hosts.askFor(turn, call, title);
	return { ...tools, runCommand: (asked, show, signal) => tools.runCommand({ ...asked, askHost }, show, signal) };
}

/** Why it does not run, or undefined when the user lets commands read these places, or did so before. */
async function askToRead(
	turn: Acting,
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
		const approval = await seekApproval(turn, question);
		if (approval.state === "refused") return { ok: false, reason: approval.reason };
		if (approval.state === "aborted") return stopped(turn);
	}
	return undefined;
}

function stopped(turn: Acting): never {
	turn.stop();
	throw new DOMException("The user stopped the turn.", "AbortError");
}

interface Asking {
	readonly prepared: PreparedCall;
	readonly found: Sighting;
	readonly reason: string;
}

/** Why it does not run, or what the user allowed, as it would run now. */
async function ask(
	turn: Acting,
	{ callId }: ToolCall,
	{ prepared, found, reason }: Asking,
): Promise<ToolOutcome | Shown> {
	const { tools, signal } = turn;
	const shown = await found.show(signal);
	if (shown === undefined) return { ok: false, reason };
	if ("problem" in shown) return { ok: false, reason: shown.problem };
	const approval = await seekApproval(turn, { callId, title: prepared.title, reason, subject: shown.subject });
	if (approval.state === "refused") return { ok: false, reason: approval.reason };
	if (approval.state === "aborted") return stopped(turn);
	// The world may have moved while the user was thinking.
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
	return { ok: false, reason: "What was allowed changed before it could run, so nothing was done. Look again." };
}
