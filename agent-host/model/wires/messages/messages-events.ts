import * as z from "zod";
import type { HistoryItem } from "../../../history/history-item.ts";
import type { TokenCount } from "../../../protocol/thread/events.ts";
import type { ModelEvent, ToolSpecification } from "../../port.ts";
import { createCallLimit } from "../call-limit.ts";
import type { WireReader } from "../connection/answer.ts";
import { createDrafts } from "../drafts.ts";
import { type Fields, NO_FIELDS, readFields, readNumber, readText } from "../fields.ts";
import { nameCalls } from "../names.ts";
import { readUsage } from "../read-usage.ts";
import { failureInStream, garbledCallFailure, isEarlyStop, stoppedEarly } from "../refusals/failure.ts";
import { readRefusalInStream, reportIn } from "../refusals/refusal.ts";
import { REDACTED } from "./messages-turns.ts";

// The parts of a server's events that we read. Servers differ, so everything that we can do without is optional.
const Text = z.string().nullish().catch(undefined);

const StartedBlock = z.object({
	type: z.string(),
	text: Text,
	thinking: Text,
	signature: Text,
	data: Text,
	id: Text,
	name: Text,
	input: z.unknown().optional(),
});

const Stopped = z.object({ stop_reason: Text }).nullish().catch(undefined);

/** A whole answer, from a server that does not stream; the first event of a stream has an empty one. */
const Whole = z.object({
	content: z.array(z.unknown()).nullish().catch(undefined),
	stop_reason: Text,
	usage: z.unknown().optional(),
});

const Index = z.number().catch(0);

const StreamEvent = z.discriminatedUnion("type", [
	z.object({ type: z.literal("message_start"), message: Whole.catch({}) }),
	z.object({ type: z.literal("content_block_start"), index: Index, content_block: StartedBlock }),
	z.object({ type: z.literal("content_block_stop"), index: Index }),
	z.object({ type: z.literal("message_delta"), delta: Stopped, usage: z.unknown().optional() }),
	z.object({ type: z.literal("message_stop") }),
	Whole.extend({ type: z.literal("message") }),
	z.looseObject({ type: z.literal("error"), error: z.unknown().optional() }),
]);

/** Nearly all events of an answer. */
const DELTA = "content_block_delta";

/** A block while it is written. */
interface OpenBlock {
	readonly key: string;
	readonly type: string;
	readonly name: string;
	readonly id: string;
	/** The input of a call that came with its first event. */
	readonly begun: string;
	readonly parts: string[];
	signature: string;
}

type Call = Extract<HistoryItem, { kind: "toolCall" }>;

/** Reads a Messages stream. Calls are only passed on when the whole answer is there. */
export function createMessagesReader(
	/** Ids of calls already in the thread: some servers number the calls of every answer from zero. */
	takenIds: ReadonlySet<string>,
	source: string,
	tools: readonly ToolSpecification[],
): WireReader {
	const draft = createDrafts(tools);
	const limit = createCallLimit();
	const open = new Map<number, OpenBlock>();
	const calls: { readonly key: string; readonly id: string; readonly item: Call }[] = [];
	let stop: string | undefined;
	/** The first event counts the input, the last one the output; each may repeat what came before. */
	let counted: object = {};
	let usage: TokenCount | undefined;
	let count = 0;

	const begin = (index: number, block: z.infer<typeof StartedBlock>): readonly ModelEvent[] => {
		// Some servers use one place for several blocks, and end none but the last.
		const before = finish(index);
		const { type, text, thinking, data, signature, id, name, input } = block;
		const key = `block-${count++}`;
		const begun = type === "tool_use" ? writtenInput(input) : "";
		if (type === "tool_use") limit.addCall();
		limit.addText(begun);
		open.set(index, { key, type, name: name ?? "", id: id ?? "", begun, parts: [], signature: signature ?? "" });
		return [...before, ...add(index, type === "tool_use" ? "" : (text ?? thinking ?? data ?? ""))];
	};
	const add = (index: number, text: string): readonly ModelEvent[] => {
		const block = open.get(index);
		if (block === undefined || text === "") return [];
		block.parts.push(text);
		const { key } = block;
		switch (block.type) {
			case "text":
				return [{ type: "delta", key, kind: "agentMessage", text }];
			case "thinking":
				return [{ type: "delta", key, kind: "reasoning", text }];
			case "tool_use":
				limit.addText(text);
				return [draft({ key, name: block.name, text, form: "json" })];
			default:
				limit.addSealed(text);
				return [];
		}
	};
	const readDelta = (index: number, { text, thinking, signature, partial_json }: Fields): readonly ModelEvent[] => {
		const block = open.get(index);
		const sealed = readText(signature) ?? "";
		if (block !== undefined && sealed !== "") {
			limit.addSealed(sealed);
			block.signature += sealed;
		}
		return add(index, readText(text) ?? readText(thinking) ?? readText(partial_json) ?? "");
	};
	const finish = (index: number): readonly ModelEvent[] => {
		const block = open.get(index);
		if (block === undefined) return [];
		open.delete(index);
		const { key } = block;
		if (block.type === "tool_use") {
			if (block.name === "") throw garbledCallFailure();
			const item = { kind: "toolCall", callId: block.id, name: block.name, arguments: toArguments(block) } as const;
			calls.push({ key, id: block.id, item });
			return [{ type: "working" }];
		}
		const item = toItem(block, source);
		return item === undefined ? [] : [{ type: "item", key, item }];
	};
	const end = (): readonly ModelEvent[] => {
		if (stop === undefined) return [];
		const last = [...open.keys()].flatMap((index) => finish(index));
		if (isEarlyStop(stop)) throw stoppedEarly(stop);
		if (stop === "tool_use" && calls.length === 0) throw garbledCallFailure();
		const named = nameCalls(calls, takenIds).map(
			({ key, id, item }): ModelEvent => ({ type: "item", key, item: { ...item, callId: id } }),
		);
		return [...last, ...named, usage === undefined ? { type: "completed" } : { type: "completed", usage }];
	};

	const addUsage = (reported: unknown): void => {
		counted = addCounts(counted, reported);
		usage = readUsage(counted);
	};

	return {
		read(message) {
			const fields = readFields(message);
			if (fields?.type === DELTA)
				return readDelta(readNumber(fields.index) ?? 0, readFields(fields.delta) ?? NO_FIELDS);
			if (isNotOurs(message)) return [];
			const report = reportOf(message);
			if (report) throw failureInStream(readRefusalInStream(report));
			const parsed = StreamEvent.safeParse(message);
			// New forms of events are no reason to fail.
			if (!parsed.success) return [];
			const event = parsed.data;
			switch (event.type) {
				case "message_start":
					addUsage(event.message.usage);
					return [];
				case "content_block_start":
					return begin(event.index, event.content_block);
				case "content_block_stop":
					return finish(event.index);
				case "message_delta":
					stop = event.delta?.stop_reason ?? stop;
					addUsage(event.usage);
					return [];
				case "message_stop":
					return end();
				case "message": {
					const blocks = (event.content ?? []).flatMap((raw, index) => {
						const block = StartedBlock.safeParse(raw);
						return block.success ? [...begin(index, block.data), ...finish(index)] : [];
					});
					stop = event.stop_reason ?? "end_turn";
					addUsage(event.usage);
					return [...blocks, ...end()];
				}
				case "error":
					throw failureInStream(readRefusalInStream(event.error ?? event));
			}
		},
		// A stream that ends without its last event is whole if the reason for its end has come.
		end: () => (count > 0 ? end() : []),
		usage: () => usage,
		isOver: () => stop !== undefined,
	};
}

const OURS = new Set<unknown>(StreamEvent.options.flatMap((option) => [...option.shape.type.values]));

// Pings and new kinds of events: a failed parse of them would cost more memory than they do.
function isNotOurs(message: unknown): boolean {
	return typeof message === "object" && message !== null && "type" in message && !OURS.has(message.type);
}

/** The failure that a gateway reports in its own form instead of as an event. */
function reportOf(message: unknown): unknown {
	return typeof message === "object" && message !== null && !("type" in message) ? reportIn(message) : undefined;
}

function toItem({ type, parts, signature }: OpenBlock, source: string): HistoryItem | undefined {
	const text = parts.join("");
	switch (type) {
		case "text":
			return text === "" ? undefined : { kind: "agentMessage", text };
		case "thinking": {
			// A signature without text has to go back, too.
			const sealed = signature === "" ? {} : { encrypted: signature };
			return { kind: "reasoning", providerId: "", summary: text === "" ? [] : [text], ...sealed, source };
		}
		case REDACTED:
			return { kind: "reasoning", providerId: REDACTED, summary: [], encrypted: text, source };
		default:
			return undefined;
	}
}

/** The first event of a call has an empty input, or the whole of it from servers that do not stream it. */
function writtenInput(input: unknown): string {
	if (typeof input !== "object" || input === null || Object.keys(input).length === 0) return "";
	return JSON.stringify(input);
}

function toArguments({ begun, parts }: OpenBlock): string {
	return parts.join("") || begun || "{}";
}

/** Counts only grow: one that a later event leaves empty or sets to zero stays as it was. */
function addCounts(counted: object, usage: unknown): object {
	const fields = Object.entries(typeof usage === "object" && usage !== null ? usage : {});
	const isLost = ([name, value]: [string, unknown]) => value === null || (value === 0 && name in counted);
	return { ...counted, ...Object.fromEntries(fields.filter((field) => !isLost(field))) };
}
