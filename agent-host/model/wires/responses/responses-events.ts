import * as z from "zod";
import type { HistoryItem } from "../../../history/history-item.ts";
import type { ModelEvent, ModelFailure, ToolSpecification } from "../../port.ts";
import { createCallLimit } from "../call-limit.ts";
import type { WireReader } from "../connection/answer.ts";
import { createDrafts } from "../drafts.ts";
import { nameCalls } from "../names.ts";
import { readUsage } from "../read-usage.ts";
import { failureInStream, stoppedEarly } from "../refusals/failure.ts";
import { readRefusalInStream } from "../refusals/refusal.ts";
import { readItem, withWritten } from "./responses-items.ts";

/** Numbered pieces of the recent past, by which a repeated one is recognised. */
const REMEMBERED_DELTAS = 256;

// What of a server's events we read. Servers differ, so everything is optional that we can do without.

/** The answer as a whole: in the last event, or alone where a server does not stream. */
const Whole = z
	.object({
		object: z.unknown().optional(),
		status: z.string().nullish().catch(undefined),
		usage: z.unknown().optional(),
		output: z.array(z.unknown()).nullish().catch(undefined),
		incomplete_details: z.object({ reason: z.string() }).nullish().catch(undefined),
		error: z.unknown().optional(),
	})
	.partial()
	.nullish()
	.catch(undefined)
	.transform((whole) => whole ?? {});
type Whole = z.infer<typeof Whole>;

const CALL_PART = { output_index: z.number().optional().catch(undefined), delta: z.string().catch("") };
const TEXT_PART = { output_index: z.number().catch(0), delta: z.string() };

const StreamEvent = z.discriminatedUnion("type", [
	z.object({ type: z.literal("response.output_text.delta"), ...TEXT_PART }),
	z.object({ type: z.literal("response.refusal.delta"), ...TEXT_PART }),
	z.object({ type: z.literal("response.reasoning_summary_text.delta"), ...TEXT_PART }),
	z.object({ type: z.literal("response.reasoning_text.delta"), ...TEXT_PART }),
	z.object({
		type: z.literal("response.output_item.added"),
		output_index: z.number(),
		item: z.looseObject({ name: z.string() }),
	}),
	z.object({ type: z.literal("response.function_call_arguments.delta"), ...CALL_PART }),
	z.object({ type: z.literal("response.custom_tool_call_input.delta"), ...CALL_PART }),
	z.object({
		type: z.literal("response.output_item.done"),
		output_index: z.number().catch(0),
		item: z.unknown().optional(),
	}),
	z.object({ type: z.literal(["response.completed", "response.incomplete", "response.failed"]), response: Whole }),
	z.looseObject({ type: z.literal("error"), error: z.unknown().optional() }),
]);

type Kind = "agentMessage" | "reasoning";
type ToolCall = Extract<HistoryItem, { kind: "toolCall" }>;

/** Reads the answer of one Responses request. `source` names who can read its sealed reasoning again. */
export function createResponsesReader(
	source: string,
	tools: readonly ToolSpecification[],
	/** What the thread holds already: some servers number the calls of every answer from zero. */
	earlier: readonly HistoryItem[],
): WireReader {
	const before = new Map(earlier.flatMap((item) => (item.kind === "toolCall" ? [[item.callId, item]] : [])));
	const deltas = new Set<string>();
	const finished = new Set<string>();
	const calls = new Set<string>();
	/** The same calls by what they say: an id may be missing, or another one, when the last event repeats them. */
	const made = new Set<string>();
	const names = new Map<number, string>();
	/** Texts that were begun and whose item has not come. */
	const open = new Map<string, { readonly kind: Kind; readonly parts: string[] }>();
	const draft = createDrafts(tools);
	const limit = createCallLimit();
	/** What came of calls piece by piece: a few servers leave it out of the whole call. */
	const written = new Map<number, string[]>();
	const pieces = createCallLimit();
	const note = (index: number, text: string): void => {
		pieces.addText(text);
		const parts = written.get(index) ?? [];
		parts.push(text);
		written.set(index, parts);
	};
	let said = false;

	const say = (index: number, kind: Kind, text: string): readonly ModelEvent[] => {
		const key = String(index);
		if (finished.has(key) || text === "") return [];
		const begun = open.get(key) ?? { kind, parts: [] };
		open.set(key, begun);
		begun.parts.push(text);
		return [{ type: "delta", key, kind, text }];
	};
	/** An id of its own for a call that is not the one which had this id before; the very same call keeps it, and is not made again. */
	const ownId = ({ callId, name, arguments: args }: ToolCall): string => {
		const known = before.get(callId);
		const isSame = known === undefined || (known.name === name && known.arguments === args);
		if (callId !== "" && isSame) return callId;
		const [own] = nameCalls([{ id: callId }], new Set([...before.keys(), ...calls]));
		return own?.id ?? callId;
	};
	/** Each piece of output ends once; a call is made once, whatever a server repeats. */
	const finish = (key: string, item: HistoryItem | undefined): readonly ModelEvent[] => {
		if (item === undefined) return [];
		if (item.kind === "toolCall") {
			if (calls.has(item.callId)) return [];
			const callId = ownId(item);
			calls.add(item.callId || callId);
			made.add(wordsOf(item));
			limit.addCall();
			limit.addText(item.arguments);
			return [{ type: "item", key, item: { ...item, callId } }];
		}
		if (finished.has(key)) return [];
		finished.add(key);
		const streamed = open.get(key)?.parts.join("") ?? "";
		open.delete(key);
		if (item.kind !== "agentMessage") return [{ type: "item", key, item }];
		said = true;
		return [{ type: "item", key, item: item.text === "" ? { ...item, text: streamed } : item }];
	};
	/** What only the last event tells: some servers send items there and nowhere else. */
	const late = (output: readonly unknown[]): readonly ModelEvent[] => {
		const known = new Set(made);
		const isAll = finished.size + calls.size + open.size === 0;
		const hasMessage = said || [...open.values()].some(({ kind }) => kind === "agentMessage");
		return output.flatMap((raw, index) => {
			const item = readItem(raw, source, tools);
			if (item?.kind === "toolCall" && known.has(wordsOf(item))) return [];
			const isNew = isAll || item?.kind === "toolCall" || (item?.kind === "agentMessage" && !hasMessage);
			if (item?.kind !== "toolCall" && open.has(String(index))) return finish(String(index), item);
			return isNew ? finish(`late-${index}`, item) : [];
		});
	};
	/** What was streamed and never called whole is all there is of it. */
	const flush = (): readonly ModelEvent[] =>
		[...open].flatMap(([key, { kind, parts }]) => {
			const text = parts.join("");
			return finish(key, kind === "agentMessage" ? { kind, text } : { kind, providerId: "", summary: [text], source });
		});
	const complete = ({ output, usage: reported }: Whole): readonly ModelEvent[] => {
		const usage = readUsage(reported);
		const end: ModelEvent = usage === undefined ? { type: "completed" } : { type: "completed", usage };
		return [...late(output ?? []), ...flush(), end];
	};

	return {
		read(message) {
			if (isRepeatedDelta(message, deltas)) return [];
			if (isNotOurs(message)) return [];
			const parsed = StreamEvent.safeParse(message);
			if (!parsed.success) {
				const whole = readUntyped(message);
				return whole === undefined ? [] : complete(whole);
			}
			const event = parsed.data;
			switch (event.type) {
				case "response.output_text.delta":
				case "response.refusal.delta":
					return say(event.output_index, "agentMessage", event.delta);
				case "response.reasoning_summary_text.delta":
				case "response.reasoning_text.delta":
					return say(event.output_index, "reasoning", event.delta);
				case "response.output_item.added":
					names.set(event.output_index, event.item.name);
					return [];
				case "response.function_call_arguments.delta":
				case "response.custom_tool_call_input.delta": {
					const { output_index: index = -1, delta: text } = event;
					const form = event.type === "response.custom_tool_call_input.delta" ? "text" : "json";
					note(index, text);
					return [draft({ key: String(index), name: names.get(index) ?? "", text, form })];
				}
				case "response.output_item.done":
					return finish(
						String(event.output_index),
						withWritten(readItem(event.item, source, tools), written.get(event.output_index)?.join("") ?? "", tools),
					);
				case "response.completed":
					return complete(event.response);
				case "response.incomplete":
				case "response.failed":
					throw endOf(event.response, event.type);
				case "error":
					throw failureInStream(readRefusalInStream(event.error ?? event));
			}
		},
		end: () => [],
		isOver: () => false,
	};
}

function wordsOf({ name, arguments: args }: ToolCall): string {
	return JSON.stringify([name, args]);
}

/** Why an answer is not whole. */
function endOf({ incomplete_details, error }: Whole, how: "response.incomplete" | "response.failed"): ModelFailure {
	if (how === "response.incomplete") return stoppedEarly(incomplete_details?.reason ?? "no reason given");
	return failureInStream(readRefusalInStream(error ?? {}));
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

/** A message without a type: the whole answer of a server that does not stream, or a gateway's failure. */
function readUntyped(message: unknown): Whole | undefined {
	const parsed = z.looseObject({ type: z.undefined().optional() }).safeParse(message);
	if (!parsed.success) return undefined;
	const whole = Whole.parse(parsed.data);
	if (whole.status === "incomplete") throw endOf(whole, "response.incomplete");
	if (whole.error) throw endOf(whole, "response.failed");
	return whole.object === "response" ? whole : undefined;
}
