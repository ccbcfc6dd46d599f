import type { HistoryItem } from "../../history/history-item.ts";
import type { ModelRequest } from "../port.ts";
import { CUT_OFF } from "./host-text.ts";

const CONTINUE: HistoryItem = {
	kind: "fragment",
	fragment: "cut-off",
	role: "user",
	origin: "host",
	text: CUT_OFF,
};

/**
 * The request with a message after an answer that was cut off: some servers refuse a conversation that ends with an answer,
 * others take it for the beginning of the next one.
 */
export function withMessageLast(request: ModelRequest): ModelRequest {
	const last = request.input.findLast(({ kind }) => kind !== "reasoning");
	return last?.kind === "agentMessage" ? { ...request, input: [...request.input, CONTINUE] } : request;
}
