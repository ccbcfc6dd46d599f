import type { Gate } from "./fake-model-gate.ts";
import type { Ending, Part, Reply, Usage } from "./fake-model-steps.ts";

/** Renders a reply as the Responses API streams it: same events, same order, numbered from 0. */
export function* renderResponses(reply: Reply, model: string): Generator<string | Gate> {
	let number = 0;
	const frame = (type: string, fields: object) => {
		const event = { type, sequence_number: number++, ...fields };
		return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
	};
	const response = { id: "resp_1", object: "response", created_at: 1_700_000_000, model, error: null };
	const begun = { ...response, status: "in_progress", output: [], usage: null };
	const output: object[] = [];

	yield frame("response.created", { response: begun });
	yield frame("response.in_progress", { response: begun });
	for (const [index, part] of reply.parts.entries()) output.push(yield* renderPart(part, index, frame));
	yield* renderEnding(reply.ending, { ...response, output }, frame);
}

type Frame = (type: string, fields: object) => string;

function renderPart(part: Part, index: number, frame: Frame): Generator<string | Gate, object> {
	switch (part.kind) {
		case "text":
			return renderText(part, index, frame);
		case "reasoning":
			return renderReasoning(part, index, frame);
		case "call":
			return renderCall(part, index, frame);
	}
}

function* renderText(part: Part, index: number, frame: Frame): Generator<string | Gate, object> {
	const id = `msg_${index}`;
	const at = { item_id: id, output_index: index, content_index: 0 };
	const message = { id, type: "message", role: "assistant" };
	const content = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] });

	yield frame("response.output_item.added", {
		output_index: index,
		item: { ...message, status: "in_progress", content: [] },
	});
	yield frame("response.content_part.added", { ...at, part: content("") });
	const text = yield* renderPieces(part, (delta) =>
		frame("response.output_text.delta", { ...at, delta, logprobs: [] }),
	);
	const item = { ...message, status: "completed", content: [content(text)] };
	yield frame("response.output_text.done", { ...at, text, logprobs: [] });
	yield frame("response.content_part.done", { ...at, part: content(text) });
	yield frame("response.output_item.done", { output_index: index, item });
	return item;
}

function* renderReasoning(part: Part, index: number, frame: Frame): Generator<string | Gate, object> {
	const id = `rs_${index}`;
	const at = { item_id: id, output_index: index, summary_index: 0 };
	const summary = (text: string) => ({ type: "summary_text", text });

	yield frame("response.output_item.added", {
		output_index: index,
		item: { id, type: "reasoning", summary: [], encrypted_content: "" },
	});
	yield frame("response.reasoning_summary_part.added", { ...at, part: summary("") });
	const text = yield* renderPieces(part, (delta) => frame("response.reasoning_summary_text.delta", { ...at, delta }));
	const item = { id, type: "reasoning", summary: [summary(text)], encrypted_content: `sealed-${index}` };
	yield frame("response.reasoning_summary_text.done", { ...at, text });
	yield frame("response.reasoning_summary_part.done", { ...at, part: summary(text) });
	yield frame("response.output_item.done", { output_index: index, item });
	return item;
}

const FUNCTION_CALL = {
	prefix: "fc",
	type: "function_call",
	field: "arguments",
	event: "response.function_call_arguments",
};
const CUSTOM_CALL = {
	prefix: "ctc",
	type: "custom_tool_call",
	field: "input",
	event: "response.custom_tool_call_input",
};

function* renderCall(
	part: Extract<Part, { kind: "call" }>,
	index: number,
	frame: Frame,
): Generator<string | Gate, object> {
	const form = part.freeForm ? CUSTOM_CALL : FUNCTION_CALL;
	const id = `${form.prefix}_${index}_${part.callId}`;
	const call = { id, type: form.type, call_id: part.callId, name: part.name };
	const at = { item_id: id, output_index: index };

	yield frame("response.output_item.added", {
		output_index: index,
		item: { ...call, [form.field]: "", status: "in_progress" },
	});
	const text = yield* renderPieces(part, (delta) => frame(`${form.event}.delta`, { ...at, delta }));
	const item = { ...call, [form.field]: text, status: "completed" };
	yield frame(`${form.event}.done`, { ...at, name: part.name, [form.field]: text });
	yield frame("response.output_item.done", { output_index: index, item });
	return item;
}

function* renderPieces(part: Part, delta: (text: string) => string): Generator<string | Gate, string> {
	let text = "";
	for (const piece of part.pieces) {
		yield typeof piece === "string" ? delta(piece) : piece;
		if (typeof piece === "string") text += piece;
	}
	return text;
}

function* renderEnding(ending: Ending, response: object, frame: Frame): Generator<string> {
	switch (ending.kind) {
		case "completed":
		case "cut":
			yield frame("response.completed", {
				response: {
					...response,
					status: "completed",
					...(ending.kind === "completed" && ending.usage ? { usage: renderUsage(ending.usage) } : {}),
				},
			});
			return;
		case "incomplete":
			yield frame("response.incomplete", {
				response: { ...response, status: "incomplete", incomplete_details: { reason: ending.reason } },
			});
			return;
		case "failed":
			yield frame("response.failed", {
				response: {
					...response,
					status: "failed",
					error: { code: ending.code, message: ending.message },
				},
			});
			return;
		case "error":
			yield frame("error", { code: ending.code, message: ending.message, param: null });
			return;
		case "eof":
		case "silence":
			return;
	}
}

export function renderUsage(usage: Usage): object {
	return {
		input_tokens: usage.input,
		input_tokens_details: { cached_tokens: usage.cached, cache_write_tokens: 0 },
		output_tokens: usage.output,
		output_tokens_details: { reasoning_tokens: usage.reasoning },
		total_tokens: usage.input + usage.output,
	};
}
