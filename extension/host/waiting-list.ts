import type { AgentOrigin } from "../../agent-host/protocol/agent.ts";
import type { ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import type { QuestionRequest } from "../../agent-host/protocol/approval/question.ts";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { AgentTree } from "./agent-tree.ts";

/** An approval or a question that waits for the user. */
export type WaitingRequest = {
	readonly id: string;
	readonly threadId: ThreadId;
	/** The sub-agent that asks, if one does. */
	readonly agent: AgentOrigin | undefined;
} & (
	| { readonly kind: "approval"; readonly request: ApprovalRequest }
	| { readonly kind: "question"; readonly request: QuestionRequest }
);

/** Everything that waits for the user in this window, over all threads and their sub-agents. All views read this. */
export interface WaitingList {
	readonly all: () => readonly WaitingRequest[];
	/** Whether the thread itself or one of its sub-agents waits. */
	readonly isWaiting: (threadId: ThreadId) => boolean;
	/** What sub-agents of the thread wait for. */
	readonly below: (threadId: ThreadId) => {
		readonly approvals: readonly ApprovalRequest[];
		readonly questions: readonly QuestionRequest[];
	};
}

export function createWaitingList(
	approvals: () => readonly ApprovalRequest[],
	questions: () => readonly QuestionRequest[],
	tree: Pick<AgentTree, "isBelow">,
): WaitingList {
	const all = (): readonly WaitingRequest[] => [
		...approvals().map(
			(request) => ({ kind: "approval", id: request.approvalId, ...pickOrigin(request), request }) as const,
		),
		...questions().map(
			(request) => ({ kind: "question", id: request.questionId, ...pickOrigin(request), request }) as const,
		),
	];
	return {
		all,
		isWaiting: (threadId) => all().some((one) => one.threadId === threadId || tree.isBelow(one, threadId)),
		below: (threadId) => ({
			approvals: approvals().filter((request) => tree.isBelow(request, threadId)),
			questions: questions().filter((request) => tree.isBelow(request, threadId)),
		}),
	};
}

function pickOrigin({ threadId, agent }: ApprovalRequest | QuestionRequest) {
	return { threadId, agent };
}
