import * as z from "zod";
import type { TokenCount } from "../../../protocol/thread/events.ts";
import type { ModelEvent, ToolSpecification } from "../../port.ts";
import type { WireReader } from "../connection/answer.ts";
import { createDrafts } from "../drafts.ts";
import { NO_FIELDS, readFields, readText } from "../fields.ts";
import { joinLists, readEach } from "../join-lists.ts";
import { nameCalls } from "../names.ts";
import { readUsage } from "../read-usage.ts";
import { failureInStream, garbledCallFailure, isEarlyStop, stoppedEarly } from "../refusals/failure.ts";
import { readRefusalInStream, reportIn } from "../refusals/refusal.ts";
import { type AssembledCall, CallPiece, createCallAssembler } from "./chat-calls.ts";
import { createDetails } from "./reasoning-details.ts";
import { createThinkingSplitter, type SplitText } from "./split-thinking.ts";
import type { TextCallFinder } from "./text-calls.ts";

// The parts of a server's chunks that we read. Content is a string or a list of parts; reasoning has several names.
const TextPart = z.looseObject({
	type: z.string().optional(),
	text: z.unknown().optional(),
	thinking: z.unknown().optional(),
});
const TextParts = z.array(TextPart);

type Kind = "agentMessage" | "reasoning";

/** Ids of calls already in the thread: some servers number the calls of every answer from zero. */
export function createChatReader(
	takenIds: ReadonlySet<string>,
	source: string,
	tools: readonly ToolSpecification[],
	/** Present if the model may write its calls as text. */
	textCalls?: TextCallFinder,
): WireReader {
	const assembler = createCallAssembler();
	const details = createDetails();
	const splitter = createThinkingSplitter();
	const draft = createDrafts(tools);
	let open: { readonly key: string; readonly kind: Kind; readonly parts: string[] } | undefined;
	let pieces = 0;
	let finish: string | undefined;
	let usage: TokenCount | undefined;

	/** A piece of output is complete when another kind begins or the answer ends. */
	const close = (): readonly ModelEvent[] => {
		if (open === undefined) return [];
		const { key, kind, parts } = open;
		open = undefined;
		const text = parts.join("");
		if (kind === "agentMessage") return [{ type: "item", key, item: { kind, text } }];
		return [{ type: "item", key, item: { kind, providerId: "", summary: [text], source } }];
	};
	const say = (kind: Kind, text: string): readonly ModelEvent[] => {
		if (text === "") return [];
		const before = open?.kind === kind ? [] : close();
		open ??= { key: `piece-${pieces++}`, kind, parts: [] };
		open.parts.push(text);
		return joinLists(before, [{ type: "delta", key: open.key, kind, text }]);
	};
	const sayText = ({ kind, text }: SplitText): readonly ModelEvent[] =>
		say(kind, kind === "agentMessage" ? (textCalls?.add(text) ?? text) : text);
	/** What the text holds: calls, or only what was held back of it. */
	const endText = (mayCall: boolean): { readonly rest: string; readonly calls: readonly AssembledCall[] } => {
		if (textCalls === undefined || !mayCall) return { rest: textCalls?.held() ?? "", calls: [] };
		const { rest, calls } = textCalls.end(open?.kind === "agentMessage" ? open.parts.join("") : "");
		return { rest, calls: calls.map(({ name, arguments: args }) => ({ id: "", name, arguments: args })) };
	};
	const readChoice = (raw: unknown): readonly ModelEvent[] => {
		const choice = readFields(raw);
		if (choice === undefined || !isPart(choice.delta) || !isPart(choice.message)) return [];
		// Only one choice was requested.
		if (typeof choice.index === "number" && choice.index !== 0) return [];
		// Without a stream there is a message in place of the delta.
		const said = readFields(choice.delta ?? choice.message) ?? NO_FIELDS;
		const reason = asText(choice.finish_reason);
		// KoboldCpp sends the word instead of the value.
		if (reason !== "" && reason !== "null") finish = reason;
		// A server that does not stream sends its whole answer, whatever it calls the end. Some repeat it beside each delta.
		else if (choice.message && !choice.delta) finish ??= "stop";
		if (BROKEN.test(reason) && choice.error) throw failureInStream(readRefusalInStream(choice.error));
		usage = readUsage(choice.usage) ?? usage;
		details.add(said.reasoning_details);
		const content = readContent(said.content);
		const thoughts = say("reasoning", asText(said.reasoning_content) || asText(said.reasoning) || thinkingIn(content));
		const texts = readEach(splitter.add(textIn(content) + asText(said.refusal)), sayText);
		const drafts = piecesIn(said.tool_calls).map((piece): ModelEvent => {
			const { order, name, text } = assembler.add(piece);
			return draft({ key: `call-${order}`, name, text, form: "json" });
		});
		return joinLists(joinLists(thoughts, texts), drafts);
	};

	/** What the gateway wants back belongs to the whole answer: its first call carries it, or else its text. */
	const withDetails = (events: readonly ModelEvent[]): readonly ModelEvent[] => {
		const all = details.all();
		const items = events.map((event) => (event.type === "item" ? event.item.kind : ""));
		const at = items.includes("toolCall") ? items.indexOf("toolCall") : items.lastIndexOf("agentMessage");
		return events.map((event, index) => {
			if (all.length === 0 || index !== at || event.type !== "item") return event;
			if (event.item.kind !== "toolCall" && event.item.kind !== "agentMessage") return event;
			const extra = { ...event.item.extra, reasoning_details: all };
			return { ...event, item: { ...event.item, extra, source } };
		});
	};

	return {
		read(message) {
			const chunk = readFields(message);
			const choices = chunk?.choices ?? [];
			if (chunk === undefined || !Array.isArray(choices)) return [];
			const report = chunk.error || (chunk.choices ? undefined : reportIn(message));
			if (report) throw failureInStream(readRefusalInStream(report));
			usage = readUsage(chunk.usage) ?? readUsage(readFields(chunk.x_groq)?.usage) ?? usage;
			return readEach(choices, readChoice);
		},
		end(how) {
			const held = splitter.rest().flatMap(sayText);
			const structured = assembler.calls();
			const isEnded = finish === undefined ? how === "announced" : !isEarlyStop(finish) && !BROKEN.test(finish);
			const { rest, calls: written } = endText(isEnded && structured.length === 0);
			const last = [...held, ...say("agentMessage", rest), ...close()];
			const made = [...structured, ...written];
			// A few servers send no finish reason; then the announced end counts, if there was an answer.
			const isAnswer = finish !== undefined || (how === "announced" && pieces + made.length > 0);
			if (!isAnswer || BROKEN.test(finish ?? "")) return [];
			if (isEarlyStop(finish ?? "")) throw stoppedEarly(finish ?? "");
			const isLost = pieces + made.length === 0 && CALLED.test(finish ?? "");
			if (isLost || GARBLED.test(finish ?? "")) throw garbledCallFailure();
			const calls = nameCalls(made, takenIds).map((call, index): ModelEvent => {
				const { id: callId, name, arguments: args, extra } = call;
				const opaque = extra === undefined ? {} : { extra, source };
				return {
					type: "item",
					key: `call-${index}`,
					item: { kind: "toolCall", callId, name, arguments: args, ...opaque },
				};
			});
			return [
				...withDetails([...last, ...calls]),
				usage === undefined ? { type: "completed" } : { type: "completed", usage },
			];
		},
		usage: () => usage,
		isOver: () => finish !== undefined,
	};
}

/** The model stopped so that its calls can be run. */
const CALLED = /^(?:tool_calls?|function_call|tool_use)$/i;
const BROKEN = /^(?:error|abort|aborted|cancell?ed|network_error|insufficient_system_resource)$/i;
/** Google's words for a call that its server could not read, alone or behind the name of a filter. */
const GARBLED = /^(?:function_call_filter(?:: \w+)?|malformed_function_call|unexpected_tool_call)$/i;

/** Every piece of every call, or none: a call with a missing piece might be a different call. */
function piecesIn(said: unknown): readonly CallPiece[] {
	if (said === undefined || said === null) return [];
	const pieces = z.array(CallPiece).safeParse(Array.isArray(said) ? said : [said]);
	if (!pieces.success) throw garbledCallFailure();
	return pieces.data;
}

/** Whether a part of a choice is one, or is left out. */
function isPart(value: unknown): boolean {
	return value === undefined || value === null || readFields(value) !== undefined;
}

function asText(value: unknown): string {
	return readText(value) ?? "";
}

type Content = string | z.infer<typeof TextParts>;

function readContent(content: unknown): Content {
	if (!Array.isArray(content)) return asText(content);
	return TextParts.safeParse(content).data ?? "";
}

function textIn(content: Content): string {
	if (typeof content === "string") return content;
	return content.map((part) => (typeof part.text === "string" ? part.text : "")).join("");
}

/** Some servers send reasoning as parts of the content. */
function thinkingIn(content: Content): string {
	if (typeof content === "string") return "";
	return content
		.flatMap((part) => (Array.isArray(part.thinking) ? part.thinking : [{ text: part.thinking }]))
		.map((part: unknown) => TextPart.safeParse(part).data?.text)
		.filter((text) => typeof text === "string")
		.join("");
}
