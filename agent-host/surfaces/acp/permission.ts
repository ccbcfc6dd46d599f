import type {
	PermissionOption,
	RequestPermissionOutcome,
	RequestPermissionRequest,
	ToolCall,
	ToolKind,
} from "@agentclientprotocol/sdk";
import type { ApprovalAnswer, ApprovalDecision, ApprovalRequest } from "../../protocol/approval/approval.ts";
import type { QuestionAnswer, QuestionRequest } from "../../protocol/approval/question.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import { describeApproval, describeQuestion, nameApproval } from "../approval-text.ts";

const OPTIONS: readonly (PermissionOption & { readonly optionId: ApprovalDecision })[] = [
	{ optionId: "allow", name: "Allow once", kind: "allow_once" },
	{ optionId: "allowThread", name: "Allow in this thread", kind: "allow_always" },
	{ optionId: "deny", name: "Deny", kind: "reject_once" },
	{ optionId: "abort", name: "Deny and stop", kind: "reject_once" },
];

const KINDS = { command: "execute", patch: "edit", permission: "read", network: "fetch" } as const;

/** A permission on a call that the editor knows by its title. */
export interface Permission extends RequestPermissionRequest {
	readonly toolCall: ToolCall;
}

/** An approval as an editor shows it: the call with everything that it would do, and the choices. */
export function toPermission(request: ApprovalRequest, sessionId: ThreadId): Permission {
	const { callId, subject, threadId, choices } = request;
	const kind: ToolKind = (KINDS as Partial<Record<string, ToolKind>>)[subject.kind] ?? "other";
	return {
		sessionId,
		toolCall: {
			// Models number calls by thread.
			toolCallId: sessionId === threadId ? callId : `${threadId}/${callId}`,
			title: nameApproval(subject),
			kind,
			status: "pending",
			content: [{ type: "content", content: { type: "text", text: describeApproval(request) } }],
		},
		options: OPTIONS.filter(({ optionId }) => choices.includes(optionId)),
	};
}

/** A dialog that was closed ends the turn; anything but an option that was offered is a no. */
export function readOutcome(
	outcome: RequestPermissionOutcome,
	{ choices, digest }: Pick<ApprovalRequest, "choices" | "digest">,
): ApprovalAnswer {
	if (outcome.outcome === "cancelled") return { decision: "abort", digest };
	const chosen =
		outcome.outcome === "selected" ? OPTIONS.find(({ optionId }) => optionId === outcome.optionId) : undefined;
	const isOffered = chosen !== undefined && choices.includes(chosen.optionId);
	return { decision: isOffered ? chosen.optionId : "deny", digest };
}

type Choosable = Exclude<QuestionRequest["subject"]["kind"], "form">;

const CHOICES = {
	loop: [
		{ optionId: "continue", name: "Continue", kind: "allow_once" },
		{ optionId: "stop", name: "Stop", kind: "reject_once" },
	],
	address: [
		{ optionId: "open", name: "Opened", kind: "allow_once" },
		{ optionId: "dismiss", name: "Dismiss", kind: "reject_once" },
	],
} as const satisfies Record<Choosable, readonly PermissionOption[]>;

/** Not a permission, but editors have one dialog for both. */
export function toChoice(request: QuestionRequest, kind: Choosable, sessionId: ThreadId): Permission {
	const { questionId: toolCallId } = request;
	const toolCall = { toolCallId, title: describeQuestion(request), kind: "think", status: "pending" } as const;
	return { sessionId, toolCall, options: [...CHOICES[kind]] };
}

/** Anything but a clear yes is a no. */
export function readChoice(outcome: RequestPermissionOutcome, kind: Choosable): QuestionAnswer {
	const [yes, no] = CHOICES[kind];
	const isAgreed = outcome.outcome === "selected" && outcome.optionId === yes.optionId;
	return { choice: isAgreed ? yes.optionId : no.optionId };
}
