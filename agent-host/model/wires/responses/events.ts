import * as z from "zod";
import type { HistoryItem } from "../../../history/item.ts";
import type { ModelEvent, ToolSpecification } from "../../port.ts";
import type { WireReader } from "../answer.ts";
import { createDrafts } from "../drafts.ts";
import { failureInStream, stoppedEarly } from "../failure.ts";
import { readRefusal } from "../refusal.ts";
import { readUsage } from "../usage.ts";
import { argumentsOfText } from "./free-form.ts";

/** Numbered pieces of the recent past, by which a repeated one is recognised. */
const REMEMBERED_DELTAS = 256;

// What of a server's events we read. Servers differ, so everything is optional that we can do without.
const OutputItem = z.discriminatedUnion("type", [
	z.object({
		type: z.literal("message"),
		content: z.array(z.object({ type: z.string(), text: z.string().optional(), refusal: z.string().optional() })),
	}),
	z.object({
		type: z.literal("reasoning"),
		id: z.string().default(""),
		summary: z.array(z.object({ text: z.string() })).default([]),
		encrypted_content: z.string().nullish(),
	}),
	z.object({ type: z.literal("function_call"), call_id: z.string().min(1), name: z.string(), arguments: z.string() }),
	z.object({ type: z.literal("custom_tool_call"), call_id: z.string().min(1), name: z.string(), input: z.string() }),
]);

const Failure = z.looseObject({ message: z.string().nullish() });

const CALL_PART = { output_index: z.number().optional(), delta: z.string().default("") };

const StreamEvent = z.discriminatedUnion("type", [
	z.object({ type: z.literal("response.output_text.delta"), output_index: z.number(), delta: z.string() }),
	z.object({ type: z.literal("response.refusal.delta"), output_index: z.number(), delta: z.string() }),
	z.object({ type: z.literal("response.reasoning_summary_text.delta"), output_index: z.number(), delta: z.string() }),
	z.object({ type: z.literal("response.reasoning_text.delta"), output_index: z.number(), delta: z.string() }),
	z.object({
		type: z.literal("response.output_item.added"),
		output_index: z.number(),
		item: z.looseObject({ name: z.string() }),
	}),
	z.object({ type: z.literal("response.function_call_arguments.delta"), ...CALL_PART }),
	z.object({ type: z.literal("response.custom_tool_call_input.delta"), ...CALL_PART }),
	z.object({ type: z.literal("response.output_item.done"), output_index: z.number(), item: z.unknown() }),
	z.object({
		type: z.literal("response.completed"),
		response: z
			.object({ usage: z.unknown(), output: z.array(z.unknown()) })
			.partial()
			.default({}),
	}),
	z.object({
		type: z.literal("response.incomplete"),
		response: z.object({ incomplete_details: z.object({ reason: z.string() }).nullish() }),
	}),
	z.object({ type: z.literal("response.failed"), response: z.object({ error: Failure.nullish() }) }),
	z.looseObject({ type: z.literal("error"), message: z.string().nullish(), error: Failure.nullish() }),
]);

/** Reads the answer of one Responses request. `source` names who can read its sealed reasoning again. */
export function createResponsesReader(source: string, tools: readonly ToolSpecification[]): WireReader {
	const deltas = new Set<string>();
	const finished = new Set<string>();
	const calls = new Set<string>();
	const names = new Map<number, string>();
	const draft = createDrafts(tools);
	let said = false;

	/** Each piece of output ends once; a call is made once, whatever a server repeats. */
	const finish = (key: string, raw: unknown): readonly ModelEvent[] => {
		const item = readItem(raw, source, tools);
		if (item === undefined || finished.has(key)) return item?.kind === "toolCall" ? finishCall(key, item) : [];
		if (item.kind === "toolCall") return finishCall(key, item);
		finished.add(key);
		if (item.kind === "agentMessage") said = true;
		return [{ type: "item", key, item }];
	};
	const finishCall = (key: string, item: HistoryItem & { readonly kind: "toolCall" }): readonly ModelEvent[] => {
		if (calls.has(item.callId)) return [];
		calls.add(item.callId);
		return [{ type: "item", key, item }];
	};
	/** What only the last event tells: some servers send items there and nowhere else. */
	const late = (output: readonly unknown[]): readonly ModelEvent[] =>
		output.flatMap((raw, index) => {
			const item = readItem(raw, source, tools);
			if (item?.kind === "toolCall" || (item?.kind === "agentMessage" && !said)) return finish(`late-${index}`, raw);
			return [];
		});
	const delta = (key: string, kind: "agentMessage" | "reasoning", text: string): readonly ModelEvent[] =>
		finished.has(key) || text === "" ? [] : [{ type: "delta", key, kind, text }];

	return {
		read(message) {
			if (isRepeatedDelta(message, deltas)) return [];
			if (isNotOurs(message)) return [];
			const parsed = StreamEvent.safeParse(message);
			if (!parsed.success) return readStrayError(message);
			const event = parsed.data;
			switch (event.type) {
				case "response.output_text.delta":
				case "response.refusal.delta":
					return delta(String(event.output_index), "agentMessage", event.delta);
				case "response.reasoning_summary_text.delta":
				case "response.reasoning_text.delta":
					return delta(String(event.output_index), "reasoning", event.delta);
				case "response.output_item.added":
					names.set(event.output_index, event.item.name);
					return [];
				case "response.function_call_arguments.delta":
				case "response.custom_tool_call_input.delta": {
					const { output_index: index = -1, delta: text } = event;
					const form = event.type === "response.custom_tool_call_input.delta" ? "text" : "json";
					return [draft({ key: String(index), name: names.get(index) ?? "", text, form })];
				}
				case "response.output_item.done":
					return finish(String(event.output_index), event.item);
				case "response.completed": {
					const usage = readUsage(event.response.usage);
					const end: ModelEvent = usage === undefined ? { type: "completed" } : { type: "completed", usage };
					return [...late(event.response.output ?? []), end];
				}
				case "response.incomplete":
					throw stoppedEarly(event.response.incomplete_details?.reason ?? "no reason given");
				case "response.failed":
					throw failureOf(event.response.error ?? {});
				case "error":
					throw failureOf(event.error ?? event);
			}
		},
		end: () => [],
	};
}

// Text that comes again under the same number says nothing new. Whole items are told apart by their place and id.
function isRepeatedDelta(message: unknown, seen: Set<string>): boolean {
	if (typeof message !== "object" || message === null) return false;
	if (!("sequence_number" in message && "delta" in message && "type" in message)) return false;
	const name = `${message.sequence_number} ${message.type} ${message.delta}`;
	if (seen.has(name)) return true;
	seen.add(name);
	const [oldest] = seen;
	if (seen.size > REMEMBERED_DELTAS && oldest !== undefined) seen.delete(oldest);
	return false;
}

const OURS = new Set<unknown>(StreamEvent.options.flatMap((option) => [...option.shape.type.values]));

// Most kinds of events say nothing that we read; to find that out by parsing would cost as much as reading them.
function isNotOurs(message: unknown): boolean {
	return typeof message === "object" && message !== null && "type" in message && !OURS.has(message.type);
}

/** Gateways report a failure as a bare `error`, with no type; anything else unknown is passed over. */
function readStrayError(message: unknown): readonly ModelEvent[] {
	const parsed = z.looseObject({ type: z.undefined(), error: z.union([z.string(), Failure]) }).safeParse(message);
	if (!parsed.success) return [];
	const { error } = parsed.data;
	throw failureOf(typeof error === "string" ? { message: error } : error);
}

function failureOf(error: z.infer<typeof Failure>) {
	return failureInStream(readRefusal(undefined, error, error.message ?? "no reason given"));
}

function readItem(raw: unknown, source: string, tools: readonly ToolSpecification[]): HistoryItem | undefined {
	const parsed = OutputItem.safeParse(raw);
	if (!parsed.success) return undefined;
	const item = parsed.data;
	switch (item.type) {
		case "message":
			return { kind: "agentMessage", text: item.content.map((part) => part.text ?? part.refusal ?? "").join("") };
		case "reasoning":
			return {
				kind: "reasoning",
				providerId: item.id,
				summary: item.summary.map((part) => part.text),
				...(item.encrypted_content ? { encrypted: item.encrypted_content } : {}),
				source,
			};
		case "function_call":
			return { kind: "toolCall", callId: item.call_id, name: item.name, arguments: item.arguments };
		case "custom_tool_call": {
			const args = argumentsOfText(item.name, item.input, tools);
			return { kind: "toolCall", callId: item.call_id, name: item.name, arguments: args, freeForm: true };
		}
	}
}
