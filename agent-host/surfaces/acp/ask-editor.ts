import {
	type AgentContext,
	methods,
	type RequestPermissionOutcome,
	type SessionUpdate,
	type ToolCallStatus,
} from "@agentclientprotocol/sdk";
import type { ThreadId } from "../../protocol/ids.ts";
import type { ClientPorts } from "../../session/ports/ports.ts";
import { type Permission, readChoice, readOutcome, toChoice, toPermission } from "./permission.ts";

/** Puts approvals and questions to the user of an editor, in the session that the editor knows. */
export function askEditor(
	connected: Promise<AgentContext>,
	rootOf: (threadId: ThreadId) => ThreadId,
): Pick<ClientPorts, "ask" | "question"> {
	return {
		async ask(request, signal) {
			const permission = toPermission(request, rootOf(request.threadId));
			// The session's own calls are told as they happen.
			const ask = permission.sessionId === request.threadId ? requestPermission : announceAndRequest;
			return readOutcome(await ask(await connected, permission, signal), request);
		},
		async question(request, signal) {
			const { kind } = request.subject;
			// A form of questions has no place in a permission: no answer.
			if (kind === "form") return { choice: "dismiss" };
			const permission = toChoice(request, kind, rootOf(request.threadId));
			return readChoice(await announceAndRequest(await connected, permission, signal), kind);
		},
	};
}

type Ask = (client: AgentContext, asked: Permission, signal: AbortSignal) => Promise<RequestPermissionOutcome>;

const requestPermission: Ask = async (client, asked, signal) => {
	const options = { cancellationSignal: signal, stopWaitingOnCancel: true };
	const { outcome } = await client.request(methods.client.session.requestPermission, asked, options);
	return outcome;
};

/** An editor shows a permission on a call, so it is told about one that ends with the answer. */
const announceAndRequest: Ask = async (client, asked, signal) => {
	const { sessionId, toolCall } = asked;
	const tell = (update: SessionUpdate) => client.notify(methods.client.session.update, { sessionId, update });
	let status: ToolCallStatus = "failed";
	await tell({ sessionUpdate: "tool_call", ...toolCall });
	try {
		const outcome = await requestPermission(client, asked, signal);
		if (outcome.outcome === "selected") status = "completed";
		return outcome;
	} finally {
		await tell({ sessionUpdate: "tool_call_update", toolCallId: toolCall.toolCallId, status });
	}
};
