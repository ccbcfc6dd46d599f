import type { Gate } from "./fake-model-gate.ts";
import type { Part, Reply, Usage } from "./fake-model-steps.ts";

/** Renders a reply as Anthropic's Messages API streams it. */
export function* renderMessages(reply: Reply, model: string): Generator<string | Gate> {
	const event = (value: { readonly type: string; readonly [field: string]: unknown }) =>
		`event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
	const { ending } = reply;
	const counted = ending.kind === "completed" && ending.usage ? renderUsage(ending.usage) : {};
	const message = { id: "msg_1", type: "message", role: "assistant", model, content: [], stop_reason: null };
	yield event({ type: "message_start", message: { ...message, usage: { ...counted, output_tokens: 1 } } });
	yield event({ type: "ping" });
	for (const [index, part] of reply.parts.entries()) yield* renderPart(part, index, event);
	const stop = (reason: string, usage: object) =>
		event({ type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage });
	switch (ending.kind) {
		case "completed":
		case "cut":
			yield stop(
				reply.parts.some(({ kind }) => kind === "call") ? "tool_use" : "end_turn",
				ending.kind === "completed" && ending.usage ? { output_tokens: ending.usage.output } : {},
			);
			yield event({ type: "message_stop" });
			return;
		case "incomplete":
			yield stop(ending.reason === "max_output_tokens" ? "max_tokens" : ending.reason, {});
			yield event({ type: "message_stop" });
			return;
		case "failed":
		case "error":
			yield event({ type: "error", error: { type: ending.code, message: ending.message } });
			return;
		case "eof":
		case "silence":
			return;
	}
}

function* renderPart(
	part: Part,
	index: number,
	event: (value: { readonly type: string; readonly [field: string]: unknown }) => string,
): Generator<string | Gate> {
	const delta = (value: object) => event({ type: "content_block_delta", index, delta: value });
	yield event({ type: "content_block_start", index, content_block: startOf(part) });
	for (const piece of part.pieces) yield typeof piece === "string" ? delta(deltaOf(part, piece)) : piece;
	if (part.kind === "reasoning") yield delta({ type: "signature_delta", signature: `signed-${index}` });
	yield event({ type: "content_block_stop", index });
}

function startOf(part: Part): object {
	switch (part.kind) {
		case "text":
			return { type: "text", text: "" };
		case "reasoning":
			return { type: "thinking", thinking: "", signature: "" };
		case "call":
			return { type: "tool_use", id: part.callId, name: part.name, input: {} };
	}
}

function deltaOf(part: Part, text: string): object {
	switch (part.kind) {
		case "text":
			return { type: "text_delta", text };
		case "reasoning":
			return { type: "thinking_delta", thinking: text };
		case "call":
			return { type: "input_json_delta", partial_json: text };
	}
}

/** Cache reads are counted beside the rest of the input. */
function renderUsage({ input, cached }: Usage): object {
	return { input_tokens: input - cached, cache_creation_input_tokens: 0, cache_read_input_tokens: cached };
}
