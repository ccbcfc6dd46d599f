import type {
	PermissionOption,
	RequestPermissionOutcome,
	RequestPermissionRequest,
	ToolKind,
} from "@agentclientprotocol/sdk";
import type { ApprovalAnswer, ApprovalDecision, ApprovalRequest } from "../../protocol/approval/approval.ts";
import { describeApproval, nameApproval } from "../approval-text.ts";

const OPTIONS: readonly (PermissionOption & { readonly optionId: ApprovalDecision })[] = [
	{ optionId: "allow", name: "Allow once", kind: "allow_once" },
	{ optionId: "allowThread", name: "Allow in this thread", kind: "allow_always" },
	{ optionId: "deny", name: "Deny", kind: "reject_once" },
	{ optionId: "abort", name: "Deny and stop", kind: "reject_once" },
];

const KINDS = { command: "execute", patch: "edit", permission: "read", network: "fetch" } as const;

/** An approval as an editor shows it: the call with everything that it would do, and the choices. */
export function toPermission(request: ApprovalRequest): RequestPermissionRequest {
	const { callId, subject, threadId, choices } = request;
	const kind: ToolKind = (KINDS as Partial<Record<string, ToolKind>>)[subject.kind] ?? "other";
	return {
		sessionId: threadId,
		toolCall: {
			toolCallId: callId,
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
