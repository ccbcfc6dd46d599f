import * as z from "zod";
import type { TokenCount } from "../protocol/events.ts";
import { failureFromCode } from "./failure.ts";
import { type ModelEvent, ModelFailure } from "./port.ts";

// What of a server's events we read. Servers differ, so everything is optional that we can do without.
const Usage = z.object({
	input_tokens: z.number().nonnegative(),
	output_tokens: z.number().nonnegative(),
	input_tokens_details: z.object({ cached_tokens: z.number().nonnegative() }).partial().nullish(),
	output_tokens_details: z.object({ reasoning_tokens: z.number().nonnegative() }).partial().nullish(),
});

const OutputItem = z.discriminatedUnion("type", [
	z.object({
		type: z.literal("message"),
		content: z.array(z.object({ type: z.string(), text: z.string().optional(), refusal: z.string().optional() })),
	}),
	z.object({
		type: z.literal("reasoning"),
		id: z.string(),
		summary: z.array(z.object({ text: z.string() })).default([]),
		encrypted_content: z.string().nullish(),
	}),
	z.object({ type: z.literal("function_call"), call_id: z.string().min(1), name: z.string(), arguments: z.string() }),
]);

const StreamEvent = z.discriminatedUnion("type", [
	z.object({ type: z.literal("response.output_text.delta"), output_index: z.number(), delta: z.string() }),
	z.object({ type: z.literal("response.refusal.delta"), output_index: z.number(), delta: z.string() }),
	z.object({ type: z.literal("response.reasoning_summary_text.delta"), output_index: z.number(), delta: z.string() }),
	z.object({ type: z.literal("response.output_item.done"), output_index: z.number(), item: z.unknown() }),
	z.object({ type: z.literal("response.completed"), response: z.object({ usage: z.unknown() }).partial() }),
	z.object({
		type: z.literal("response.incomplete"),
		response: z.object({ incomplete_details: z.object({ reason: z.string() }).nullish() }),
	}),
	z.object({
		type: z.literal("response.failed"),
		response: z.object({ error: z.object({ code: z.string().nullish(), message: z.string().nullish() }).nullish() }),
	}),
]);

/** Reads one event of the stream. Unknown events give nothing; a failure the server reports is thrown. */
export function readResponsesEvent(raw: unknown): ModelEvent | undefined {
	const parsed = StreamEvent.safeParse(raw);
	if (!parsed.success) return undefined;
	const event = parsed.data;
	switch (event.type) {
		case "response.output_text.delta":
		case "response.refusal.delta":
			return { type: "delta", key: String(event.output_index), kind: "agentMessage", text: event.delta };
		case "response.reasoning_summary_text.delta":
			return { type: "delta", key: String(event.output_index), kind: "reasoning", text: event.delta };
		case "response.output_item.done":
			return readItem(String(event.output_index), event.item);
		case "response.completed": {
			const usage = readUsage(event.response.usage);
			return usage === undefined ? { type: "completed" } : { type: "completed", usage };
		}
		case "response.incomplete":
			throw incomplete(event.response.incomplete_details?.reason ?? "no reason given");
		case "response.failed":
			throw failureFromCode(
				event.response.error?.code ?? undefined,
				event.response.error?.message ?? "no reason given",
			);
	}
}

function readItem(key: string, raw: unknown): ModelEvent | undefined {
	const parsed = OutputItem.safeParse(raw);
	if (!parsed.success) return undefined;
	const item = parsed.data;
	switch (item.type) {
		case "message": {
			const text = item.content.map((part) => part.text ?? part.refusal ?? "").join("");
			return { type: "item", key, item: { kind: "agentMessage", text } };
		}
		case "reasoning":
			return {
				type: "item",
				key,
				item: {
					kind: "reasoning",
					providerId: item.id,
					summary: item.summary.map((part) => part.text),
					...(item.encrypted_content ? { encrypted: item.encrypted_content } : {}),
				},
			};
		case "function_call":
			return {
				type: "item",
				key,
				item: { kind: "toolCall", callId: item.call_id, name: item.name, arguments: item.arguments },
			};
	}
}

function readUsage(raw: unknown): TokenCount | undefined {
	const parsed = Usage.safeParse(raw);
	if (!parsed.success) return undefined;
	const { input_tokens: input, output_tokens: output } = parsed.data;
	return {
		input,
		cached: parsed.data.input_tokens_details?.cached_tokens ?? 0,
		output,
		reasoning: parsed.data.output_tokens_details?.reasoning_tokens ?? 0,
		total: input + output,
	};
}

function incomplete(reason: string): ModelFailure {
	return reason === "max_output_tokens"
		? new ModelFailure("bad-stream", "The model reached its output limit before it was done. Ask it to go on.", {
				retryable: false,
			})
		: new ModelFailure("bad-stream", `The model stopped before it was done (${reason}).`, { retryable: false });
}
