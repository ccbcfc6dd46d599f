import type { ClientCapabilities, SessionUpdate } from "@agentclientprotocol/sdk";
import { describeCompaction } from "../../protocol/thread/describe-compaction.ts";
import type { ThreadEvent } from "../../protocol/thread/events.ts";
import { isCall } from "../../protocol/thread/item.ts";
import { nameApproval } from "../approval-text.ts";
import { announceCall, finishCall, showDiff } from "./call-updates.ts";

export interface UpdateOptions {
	readonly cwd: string | undefined;
	readonly capabilities: ClientCapabilities | undefined;
	/** The thread is read from its records: texts come whole, and the user's messages too. */
	readonly isReplay: boolean;
}

/** What an editor is told about an event. Keeps in mind which calls it knows. */
export function createUpdates({
	cwd,
	capabilities,
	isReplay,
}: UpdateOptions): (event: ThreadEvent) => readonly SessionUpdate[] {
	const known = new Set<string>();
	/** The call that each approval is about. */
	const asked = new Map<string, string>();
	const { compaction, notices } = capabilities?.session ?? {};
	return (event) => {
		switch (event.type) {
			case "itemStarted":
			case "itemCompleted": {
				const { item } = event;
				if (isCall(item)) {
					const begun = known.has(item.callId) ? [] : [announceCall(item, cwd, "in_progress")];
					known.add(item.callId);
					const running = {
						sessionUpdate: "tool_call_update",
						toolCallId: item.callId,
						status: "in_progress",
					} as const;
					if (event.type === "itemStarted") return begun.length > 0 ? begun : [running];
					return [...begun, ...finishCall(item)];
				}
				if (event.type === "itemStarted" || !isReplay) return [];
				if (item.kind === "userMessage") return item.messageKind === "plain" ? [chunk("user_message_chunk", item)] : [];
				if (item.kind === "agentMessage") return [chunk("agent_message_chunk", item)];
				return item.kind === "reasoning" ? [chunk("agent_thought_chunk", item)] : [];
			}
			case "itemDelta": {
				const piece = { id: event.itemId, text: event.text };
				if (event.itemKind === "agentMessage") return [chunk("agent_message_chunk", piece)];
				return event.itemKind === "reasoning" ? [chunk("agent_thought_chunk", piece)] : [];
			}
			case "approvalRequested": {
				const { approvalId, callId, subject } = event.request;
				asked.set(approvalId, callId);
				// An editor shows the permission on a call, so it must know that first.
				if (known.has(callId)) return [{ sessionUpdate: "tool_call_update", toolCallId: callId, status: "pending" }];
				known.add(callId);
				return [{ sessionUpdate: "tool_call", toolCallId: callId, title: nameApproval(subject), status: "pending" }];
			}
			case "approvalResolved": {
				const toolCallId = asked.get(event.approvalId);
				const isAllowed = event.decision !== "deny" && event.decision !== "abort";
				if (toolCallId === undefined || !isAllowed) return [];
				return [{ sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" }];
			}
			case "turnDiff":
				return [showDiff(event)];
			case "usage": {
				const money = event.spent?.thread.money;
				const cost = money === undefined || money === 0 ? {} : { cost: { amount: money, currency: "USD" } };
				return [{ sessionUpdate: "usage_update", used: event.last.total, size: event.window, ...cost }];
			}
			case "compactionStarted":
			case "compactionCompleted": {
				const { compactionId } = event;
				const isDone = event.type === "compactionCompleted";
				if (compaction)
					return [{ sessionUpdate: "compaction_update", compactionId, status: isDone ? "completed" : "in_progress" }];
				return isDone ? [chunk("agent_thought_chunk", { id: compactionId, text: describeCompaction(event) })] : [];
			}
			case "compactionSkipped": {
				const { compactionId } = event;
				return compaction ? [{ sessionUpdate: "compaction_update", compactionId, status: "failed" }] : [];
			}
			case "warning":
				return notices ? [{ sessionUpdate: "notice", severity: "warning", title: event.message }] : [];
			case "titleChanged":
				return [{ sessionUpdate: "session_info_update", title: event.title }];
			default:
				return [];
		}
	};
}

/** A warning for the user, as a notice or, in an editor that has none, among the agent's thoughts. */
export function warnUser(text: string, id: string, capabilities: ClientCapabilities | undefined): SessionUpdate {
	if (capabilities?.session?.notices) return { sessionUpdate: "notice", severity: "warning", title: text };
	return chunk("agent_thought_chunk", { id, text });
}

type ChunkKind = "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk";

function chunk(sessionUpdate: ChunkKind, { id, text }: { readonly id: string; readonly text: string }): SessionUpdate {
	return { sessionUpdate, messageId: id, content: { type: "text", text } };
}
