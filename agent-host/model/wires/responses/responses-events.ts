import * as z from "zod";
import type { HistoryItem } from "../../../history/history-item.ts";
import type { TokenCount } from "../../../protocol/thread/events.ts";
import type { ModelEvent, ModelFailure, ToolSpecification } from "../../port.ts";
import { createCallLimit } from "../call-limit.ts";
import type { WireReader } from "../connection/answer.ts";
import { type CallPart, createDrafts } from "../drafts.ts";
import { NO_FIELDS, readFields, readNumber, readText } from "../fields.ts";
import { nameCalls } from "../names.ts";
import { readUsage } from "../read-usage.ts";
import { failureInStream, stoppedEarly } from "../refusals/failure.ts";
import { readRefusalInStream } from "../refusals/refusal.ts";
import { createRepetitionFinder } from "./repeated-deltas.ts";
import { readItem, withWritten } from "./responses-items.ts";

// The parts of a server's events that we read. Servers differ, so everything that we can do without is optional.

/** The complete answer: in the last event, or alone if a server does not stream. */
const CompleteAnswer = z
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
type CompleteAnswer = z.infer<typeof CompleteAnswer>;

/** Where a piece of output is. Some servers send no index, or the same one for all. */
const PLACE = { output_index: z.number().optional().catch(undefined), item_id: z.string().optional().catch(undefined) };

const StreamEvent = z.discriminatedUnion("type", [
	z.object({ type: z.literal("response.reasoning_summary_part.added"), output_index: z.number().catch(0) }),
	z.object({
		...PLACE,
		type: z.literal("response.output_item.added"),
		item: z.object({ name: z.string().optional().catch(undefined), id: PLACE.item_id }),
	}),
	z.object({ ...PLACE, type: z.literal("response.output_item.done"), item: z.unknown().optional() }),
	z.object({
		type: z.literal(["response.completed", "response.incomplete", "response.failed"]),
		response: CompleteAnswer,
	}),
	z.looseObject({ type: z.literal("error"), error: z.unknown().optional() }),
]);

type Kind = "agentMessage" | "reasoning";

// Nearly all events of an answer. They are read without a schema, which would double their cost.
const TEXTS: ReadonlyMap<unknown, Kind> = new Map([
	["response.output_text.delta", "agentMessage"],
	["response.refusal.delta", "agentMessage"],
	["response.reasoning_summary_text.delta", "reasoning"],
	["response.reasoning_text.delta", "reasoning"],
]);
const CALL_TEXTS: ReadonlyMap<unknown, CallPart["form"]> = new Map([
	["response.function_call_arguments.delta", "json"],
	["response.custom_tool_call_input.delta", "text"],
]);

/** A text that was started and whose item has not arrived. */
interface OpenText {
	readonly index: number;
	readonly kind: Kind;
	readonly key: string;
	readonly parts: string[];
}

type ToolCall = Extract<HistoryItem, { kind: "toolCall" }>;

/** Reads the answer of one Responses request. `source` identifies who can read its sealed reasoning. */
export function createResponsesReader(
	source: string,
	tools: readonly ToolSpecification[],
	/** The thread's existing calls: some servers number the calls of every answer from zero. */
	earlier: readonly HistoryItem[],
): WireReader {
	const before = new Map(earlier.flatMap((item) => (item.kind === "toolCall" ? [[item.callId, item]] : [])));
	const isRepeated = createRepetitionFinder();
	const finished = new Set<string>();
	const calls = new Set<string>();
	/** The same calls by content: when the last event repeats them, the id may be missing or different. */
	const made: ToolCall[] = [];
	/** The names of calls, by their place. */
	const names = new Map<string, string>();
	const open = new Map<string, OpenText>();
	/** The one that was written to last: nearly every delta goes on with it. */
	let current: OpenText | undefined;
	const draft = createDrafts(tools);
	const limit = createCallLimit();
	/** Streamed arguments of calls: a few servers omit them from the complete call. */
	const written = new Map<string, string[]>();
	const pieces = createCallLimit();
	const writeCall = (place: string, text: string, form: CallPart["form"]): ModelEvent => {
		pieces.addText(text);
		const parts = written.get(place) ?? [];
		parts.push(text);
		written.set(place, parts);
		return draft({ key: place, name: names.get(place) ?? "", text, form });
	};
	/** The streamed arguments of a call, for it alone. */
	const takeWritten = (place: string): string => {
		const text = written.get(place)?.join("") ?? "";
		written.delete(place);
		return text;
	};
	let said = false;
	/** Also of an answer that was cut or has failed. */
	let usage: TokenCount | undefined;

	const say = (index: number, kind: Kind, text: string): readonly ModelEvent[] => {
		if (text === "") return [];
		if (current?.index !== index || current.kind !== kind) current = openText(index, kind);
		if (current === undefined) return [];
		current.parts.push(text);
		return [{ type: "delta", key: current.key, kind, text }];
	};
	const openText = (index: number, kind: Kind): OpenText | undefined => {
		const key = keyOf(index, kind);
		if (finished.has(key)) return undefined;
		const text = open.get(key) ?? { index, kind, key, parts: [] };
		open.set(key, text);
		return text;
	};
	/**
	 * A new id for a call that reuses the id of a different call; an identical call keeps its id and is not made again.
	 */
	const ownId = ({ callId, name, arguments: args }: ToolCall): string => {
		const known = before.get(callId);
		const isSame = known === undefined || (known.name === name && known.arguments === args);
		if (callId !== "" && isSame) return callId;
		const [own] = nameCalls([{ id: callId }], new Set([...before.keys(), ...calls]));
		return own?.id ?? callId;
	};
	/** Each piece of output ends once; a call is made once, even if a server repeats it. */
	const finish = (key: string, item: HistoryItem | undefined): readonly ModelEvent[] => {
		if (item === undefined) return [];
		if (item.kind === "toolCall") {
			if (calls.has(item.callId)) return [];
			const callId = ownId(item);
			calls.add(item.callId || callId);
			made.push(item);
			limit.addCall();
			limit.addText(item.arguments);
			return [{ type: "item", key, item: { ...item, callId } }];
		}
		if (finished.has(key)) return [];
		finished.add(key);
		const streamed = open.get(key)?.parts.join("") ?? "";
		open.delete(key);
		current = undefined;
		if (item.kind === "reasoning") limit.addSealed(item.encrypted ?? "");
		if (item.kind !== "agentMessage") return [{ type: "item", key, item }];
		said = true;
		return [{ type: "item", key, item: item.text === "" ? { ...item, text: streamed } : item }];
	};
	/** Items that only the last event contains: some servers send them nowhere else. */
	const late = (output: readonly unknown[]): readonly ModelEvent[] => {
		const known = [...made];
		const isAll = finished.size + calls.size + open.size === 0;
		const hasMessage = said || [...open.values()].some(({ kind }) => kind === "agentMessage");
		return output.flatMap((raw, index) => {
			const item = readItem(raw, source, tools);
			if (item?.kind === "toolCall" && known.some((one) => isSameCall(one, item))) return [];
			const isNew = isAll || item?.kind === "toolCall" || (item?.kind === "agentMessage" && !hasMessage);
			const key = keyOf(index, item?.kind);
			if (item?.kind !== "toolCall" && open.has(key)) return finish(key, item);
			return isNew ? finish(`late-${index}`, item) : [];
		});
	};
	/** Text that was streamed but never completed. */
	const flush = (): readonly ModelEvent[] =>
		[...open.values()].flatMap(({ key, kind, parts }) => {
			const text = parts.join("");
			return finish(key, kind === "agentMessage" ? { kind, text } : { kind, providerId: "", summary: [text], source });
		});
	const complete = ({ output }: CompleteAnswer): readonly ModelEvent[] => {
		const end: ModelEvent = usage === undefined ? { type: "completed" } : { type: "completed", usage };
		return [...late(output ?? []), ...flush(), end];
	};

	return {
		read(message) {
			if (typeof message !== "object" || message === null || isRepeated(message)) return [];
			const { type, delta, output_index, item_id } = readFields(message) ?? NO_FIELDS;
			const index = readNumber(output_index);
			const kind = TEXTS.get(type);
			if (kind !== undefined) return say(index ?? 0, kind, readText(delta) ?? "");
			const form = CALL_TEXTS.get(type);
			if (form !== undefined) {
				const place = placeOf({ output_index: index, item_id: readText(item_id) });
				return [writeCall(place, readText(delta) ?? "", form)];
			}
			// The complete answer of a server that does not stream, or a gateway's failure.
			if (type === undefined) {
				const whole = CompleteAnswer.parse(message);
				usage = readUsage(whole.usage);
				refuseUnfinished(whole);
				if (whole.object === "response") return complete(whole);
			}
			// We ignore most kinds of events; parsing them to find out would cost as much as reading them.
			const event = isOurs(type) ? StreamEvent.safeParse(message).data : undefined;
			if (event === undefined) return [];
			switch (event.type) {
				// Each part is a paragraph of its own.
				case "response.reasoning_summary_part.added":
					return open.has(keyOf(event.output_index, "reasoning")) ? say(event.output_index, "reasoning", "\n\n") : [];
				case "response.output_item.added":
					if (event.item.name !== undefined) names.set(placeOf(event, event.item), event.item.name);
					return [];
				case "response.output_item.done": {
					const item = readItem(event.item, source, tools);
					const streamed = takeWritten(placeOf(event, event.item));
					return finish(keyOf(event.output_index ?? 0, item?.kind), withWritten(item, streamed, tools));
				}
				case "response.completed":
					usage = readUsage(event.response.usage);
					refuseUnfinished(event.response);
					return complete(event.response);
				case "response.incomplete":
				case "response.failed":
					usage = readUsage(event.response.usage);
					throw toFailure(event.response, event.type);
				case "error":
					throw failureInStream(readRefusalInStream(event.error ?? event));
			}
		},
		end: () => [],
		usage: () => usage,
		isOver: () => false,
	};
}

function isSameCall(a: ToolCall, b: ToolCall): boolean {
	return a.name === b.name && a.arguments === b.arguments;
}

/** Why an answer is incomplete. */
function toFailure(
	{ incomplete_details, error }: CompleteAnswer,
	how: "response.incomplete" | "response.failed",
): ModelFailure {
	if (how === "response.incomplete") return stoppedEarly(incomplete_details?.reason ?? "no reason given");
	return failureInStream(readRefusalInStream(error ?? {}));
}

/** Names a piece of output. Text, reasoning and a call are pieces of their own, also at one place. */
function keyOf(index: number, kind: HistoryItem["kind"] | undefined): string {
	return `${kind}-${index}`;
}

/** Names the place of a call: by its index, or else by the id of its item. */
function placeOf({ output_index: index, item_id: id }: Place, item?: unknown): string {
	return String(index ?? id ?? Object(item).id ?? "");
}

interface Place {
	readonly output_index?: number | undefined;
	readonly item_id?: string | undefined;
}

/** Some servers also call an answer completed that was cut or has failed. */
function refuseUnfinished(whole: CompleteAnswer): void {
	if (whole.status === "incomplete") throw toFailure(whole, "response.incomplete");
	if (whole.error || whole.status === "failed") throw toFailure(whole, "response.failed");
}

let ours: ReadonlySet<unknown> | undefined;

/** Whether we read events of a type. Only listed at the first one, because it takes the schema of each. */
function isOurs(type: unknown): boolean {
	ours ??= new Set<unknown>(StreamEvent.options.flatMap((option) => [...option.shape.type.values]));
	return ours.has(type);
}
