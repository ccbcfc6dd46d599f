import type { ApprovalSubject } from "../../protocol/approval/approval.ts";
import { type Said, say } from "../../protocol/say.ts";
import { commandIn } from "../thread/call-title.ts";
import type { AskHost, HostApprovals, ToolContext } from "../thread/running-turn.ts";
import { digestSubject, requestApproval } from "./ask-approval.ts";
import { judge, record } from "./run-if-allowed.ts";

/** Length limit of the command on a card about a host. */
const MAX_PROCESS_CHARS = 500;

type HostAnswer = Awaited<ReturnType<AskHost>>;

/** Made once: every turn ends with it, and without a reason each would make an error of its own. */
const TURN_OVER = new Error("The turn is over.");

/** Asks about hosts while the commands of one turn run. */
export function createHostApprovals(): HostApprovals {
	/** Hosts that were always allowed during this turn: its policy was sealed before. */
	const saved = new Set<string>();
	const waiting = new Set<Promise<HostAnswer>>();
	let over = new AbortController();
	return {
		askFor: (turn, call, title) => {
			// A turn that was about to end may have continued.
			if (over.signal.aborted) over = new AbortController();
			return async (asked, signal) => {
				if (over.signal.aborted) return deny("and its turn has ended, so approval is not possible");
				const either = AbortSignal.any([turn.signal, over.signal, signal]);
				const answer = askAbout(turn, call, describeHost(asked, title), saved, either);
				waiting.add(answer);
				return answer.finally(() => waiting.delete(answer));
			};
		},
		close: async () => {
			over.abort(TURN_OVER);
			await Promise.allSettled(waiting);
		},
	};
}

type NetworkSubject = Extract<ApprovalSubject, { kind: "network" }>;

function describeHost({ host, letters, port, rule }: Parameters<AskHost>[0], title: Said): NetworkSubject {
	const command = commandIn(title);
	const process = command.length <= MAX_PROCESS_CHARS ? command : `${command.slice(0, MAX_PROCESS_CHARS)}…`;
	return { kind: "network", host, port, process, rule, ...(letters && { letters }) };
}

async function askAbout(
	turn: ToolContext,
	call: { readonly callId: string },
	subject: NetworkSubject,
	saved: Set<string>,
	signal: AbortSignal,
): Promise<HostAnswer> {
	const { host, port } = subject;
	const access = { kind: "network", host, port } as const;
	const title = say("call-connect", { host, port });
	const verdict = await judge(turn, access);
	if (verdict.kind === "deny") {
		await record(turn, call, title, verdict);
		return deny("and approvals are not possible");
	}
	if (verdict.kind === "allow" || saved.has(digestSubject(turn, subject))) return { kind: "allow" };
	const question = { callId: call.callId, title, reason: verdict.reason, subject };
	const approval = await requestApproval(turn, question, signal);
	if (approval.state === "aborted") {
		turn.stop();
		return deny("and the turn was stopped");
	}
	if (approval.state === "refused")
		return deny(approval.by === "host" ? "and there was no answer" : "and the user denied it");
	if (approval.lasts === "rule") saved.add(approval.digest);
	// Trust may have been lost while the user was thinking.
	return (await judge(turn, access)).kind === "deny"
		? deny("and the workspace is no longer trusted")
		: { kind: "allow" };
}

function deny(why: string): HostAnswer {
	return { kind: "deny", reason: why };
}
