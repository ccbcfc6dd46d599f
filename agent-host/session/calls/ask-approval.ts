import { digestValue } from "../../permissions/policy/policy.ts";
import { pickOrigin } from "../../protocol/agent.ts";
import {
	type ApprovalAnswer,
	type ApprovalDecision,
	type ApprovalRequest,
	type ApprovalSubject,
	savedRules,
} from "../../protocol/approval/approval.ts";
import { nameSaid, type Said, say } from "../../protocol/say.ts";
import { recordDecision } from "../thread/decision-ledger.ts";
import type { Draft } from "../thread/live-thread.ts";
import type { ToolContext, Turn } from "../thread/running-turn.ts";
import { choicesFor, shortenSubject } from "./shown-subject.ts";

export interface Question {
	readonly callId: string;
	readonly title: Said;
	readonly reason: Said;
	readonly subject: ApprovalSubject;
}

export type Approval =
	| { readonly state: "allowed"; readonly digest: string; readonly lasts?: "rule" }
	/** `reason` is for the model; `by` is "host" if there was no answer. */
	| { readonly state: "refused"; readonly reason: string; readonly by: "user" | "host" }
	| { readonly state: "aborted" };

/**
 * Identifies everything that is asked about, including contents, under the policy it was shown with. What the model
 * says about it is not part of it.
 */
export function digestSubject(turn: Pick<Turn, "envelope">, subject: ApprovalSubject): string {
	const shown = relevantParts(subject);
	// A host is the same under every policy that leads to an approval for it.
	const policy = subject.kind === "network" ? "" : turn.envelope.policy.digest;
	return digestValue({ subject: JSON.parse(JSON.stringify(shown)), policy });
}

/** The permission applies to every command. */
function relevantParts(subject: ApprovalSubject): ApprovalSubject {
	switch (subject.kind) {
		case "command":
			return { ...subject, why: undefined, rulesOffered: undefined, rulesFolder: undefined };
		case "permission":
			return { ...subject, command: "" };
		case "network":
			// The line that names the host includes the ports.
			return { ...subject, process: "", port: 0 };
		case "patch":
		case "serverTool":
		case "editorTool":
		case "customizations":
			return subject;
	}
}

/** What a lasting answer covers: exactly what was shown, or a tool of a server with any arguments. */
function digestGrant(turn: Pick<Turn, "envelope">, subject: ApprovalSubject): string {
	return digestSubject(turn, subject.kind === "serverTool" ? { ...subject, input: "" } : subject);
}

/**
 * Asks the user, unless they allowed exactly the same for this thread before. The request and its answer are recorded;
 * the answer counts once, and only for what was asked.
 */
export async function requestApproval(
	turn: ToolContext,
	question: Question,
	/** Withdraws the request. */
	withdrawn: AbortSignal = turn.signal,
): Promise<Approval> {
	const { thread, envelope, ports, signal } = turn;
	const { threadId, turnId } = envelope.identity;
	const { callId, title, reason, subject } = question;
	const digest = digestSubject(turn, subject);
	const granted = digestGrant(turn, subject);
	if (thread.grants.has(granted)) {
		await recordDecision(turn, {
			callId,
			what: title,
			decision: "allow",
			by: "thread",
			...asReason(say("granted-before")),
			digest,
		});
		return { state: "allowed", digest };
	}
	const choices = choicesFor(subject, thread.state().settings.permissions);
	const approvalId = ports.newId();
	const shown = shortenSubject(subject);
	const request: ApprovalRequest = {
		...{ threadId, turnId, approvalId, digest, callId, ...asReason(reason), subject: shown, choices },
		...(granted !== digest && { grant: granted }),
		...(envelope.identity.agent && { agent: pickOrigin(envelope.identity.agent) }),
	};
	if (subject.kind === "patch" && shown !== subject) thread.longDiffs.set(approvalId, subject.diff);
	await thread.commit([{ kind: "event", event: { type: "approvalRequested", turnId, request } }], "synced");
	const answer = withdrawn.aborted ? undefined : await ports.ask(request, withdrawn).catch(() => undefined);
	thread.longDiffs.delete(approvalId);
	const decision = readDecision(answer, request);
	await thread.commit([toResolution(request, decision, answer)], "synced");
	if (signal.aborted || decision === "abort") return { state: "aborted" };
	if (decision === "deny") {
		return { state: "refused", reason: refusalText(answer), by: answer === undefined ? "host" : "user" };
	}
	if (decision === "allowThread") thread.grants.add(granted);
	if (decision === "allowRule" && subject.kind === "network" && subject.rule !== undefined) {
		turn.addHost(subject.rule);
		return { state: "allowed", digest, lasts: "rule" };
	}
	if (decision === "allowRule" && subject.kind === "permission") {
		turn.addReading(subject.read);
		// This turn's policy is sealed, so until the next turn it applies as a grant.
		thread.grants.add(digest);
	}
	if (decision === "allowRule" && subject.kind === "serverTool") {
		const { server, tool, definition } = subject;
		turn.addServerTool({ server, tool, definition });
		thread.grants.add(granted);
	}
	// Never other rules than those the user was shown.
	for (const rule of savedRules(subject, decision)) turn.addRule(rule);
	return { state: "allowed", digest };
}

/** Why, as requests and decisions carry it. */
export function asReason(reason: Said) {
	return { reason: reason.text, reasonSaid: nameSaid(reason) };
}

// No answer, an answer to something else, or a choice that was not offered is not consent.
function readDecision(answer: ApprovalAnswer | undefined, request: ApprovalRequest): ApprovalDecision {
	if (answer === undefined || (answer.digest ?? request.digest) !== request.digest) return "deny";
	return request.choices.includes(answer.decision) ? answer.decision : "deny";
}

function toResolution(request: ApprovalRequest, decision: ApprovalDecision, answer: ApprovalAnswer | undefined): Draft {
	const { turnId, approvalId } = request;
	const note = answer?.note === undefined || answer.note === "" ? {} : { note: answer.note };
	const by = answer === undefined ? "host" : "user";
	return { kind: "event", event: { type: "approvalResolved", turnId, approvalId, decision, by, ...note } };
}

function refusalText(answer: ApprovalAnswer | undefined): string {
	const note = answer?.note?.trim() ?? "";
	return note === ""
		? "The user denied this. Do not work around it; ask what they want instead."
		: `The user denied this with a note: ${note}`;
}
