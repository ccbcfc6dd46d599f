import type { Gate } from "./fake-model-gate.ts";
import type { Part, Reply, Usage } from "./fake-model-steps.ts";

/** Renders a reply as Chat Completions streams it; usage only comes where the request asked for it. */
export function* renderChat(reply: Reply, model: string, includeUsage: boolean): Generator<string | Gate> {
	const chunk = (fields: object) =>
		`data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_700_000_000, model, ...fields })}\n\n`;
	const delta = (value: object, finish: string | null = null) =>
		chunk({
			choices: [{ index: 0, delta: value, finish_reason: finish }],
			...(includeUsage ? { usage: null } : {}),
		});

	yield delta({ role: "assistant", content: "" });
	let calls = 0;
	for (const part of reply.parts) {
		yield* renderPart(part, calls, delta);
		if (part.kind === "call") calls += 1;
	}
	const { ending } = reply;
	switch (ending.kind) {
		case "completed":
		case "cut":
			yield delta({}, calls > 0 ? "tool_calls" : "stop");
			if (ending.kind === "completed" && includeUsage && ending.usage)
				yield chunk({ choices: [], usage: renderUsage(ending.usage) });
			yield "data: [DONE]\n\n";
			return;
		case "incomplete":
			yield delta({}, ending.reason === "max_output_tokens" ? "length" : ending.reason);
			yield "data: [DONE]\n\n";
			return;
		case "failed":
		case "error":
			yield `data: ${JSON.stringify({ error: { code: ending.code, message: ending.message, type: "server_error" } })}\n\n`;
			return;
		case "eof":
		case "silence":
			return;
	}
}

function* renderPart(part: Part, call: number, delta: (value: object) => string): Generator<string | Gate> {
	if (part.kind === "call")
		yield delta({
			tool_calls: [{ index: call, id: part.callId, type: "function", function: { name: part.name, arguments: "" } }],
		});
	for (const piece of part.pieces) yield typeof piece === "string" ? delta(renderPiece(part, call, piece)) : piece;
}

function renderPiece(part: Part, call: number, text: string): object {
	switch (part.kind) {
		case "text":
			return { content: text };
		case "reasoning":
			return { reasoning_content: text };
		case "call":
			return { tool_calls: [{ index: call, function: { arguments: text } }] };
	}
}

function renderUsage(usage: Usage): object {
	return {
		prompt_tokens: usage.input,
		completion_tokens: usage.output,
		total_tokens: usage.input + usage.output,
		prompt_tokens_details: { cached_tokens: usage.cached },
		completion_tokens_details: { reasoning_tokens: usage.reasoning },
	};
}
