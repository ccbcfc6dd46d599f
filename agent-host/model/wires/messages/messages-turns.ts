import type { HistoryItem, UserImage } from "../../../history/history-item.ts";
import { CUT_OFF, labelled, NO_TEXT } from "../host-text.ts";
import { wireArguments, wireCallId, wireName } from "../names.ts";

/** One piece of a message. `cache_control` marks the end of a prefix that the server keeps. */
export type Block = (
	| { readonly type: "text"; readonly text: string }
	| { readonly type: "image"; readonly source: object }
	| { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
	| { readonly type: "redacted_thinking"; readonly data: string }
	| { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown }
	| { readonly type: "tool_result"; readonly tool_use_id: string; readonly content?: string }
) & { readonly cache_control?: { readonly type: "ephemeral" } };

export interface Message {
	readonly role: "user" | "assistant" | "system";
	readonly content: readonly Block[];
}

/** `providerId` of a thinking block that only its author can read. */
export const REDACTED = "redacted_thinking";

/** What the target of a request accepts. */
export interface Reader {
	/** Identifies the author of thinking blocks that it can read. */
	readonly source: string;
	/** Those that it was seen to refuse. */
	readonly refusedSeals: ReadonlySet<string>;
	/** The host's messages keep a role of their own. */
	readonly systemMessages: boolean;
}

/** Everything between two answers: results of calls first, as the API requires, then what was said. */
interface Input {
	readonly results: Block[];
	readonly said: Block[];
	readonly host: string[];
}

type Turn = { readonly kind: "answer"; readonly blocks: readonly Block[] } | ({ readonly kind: "input" } & Input);

/**
 * History as alternating messages. Each part of the history gives the same blocks in every later request, so that the
 * server can keep the prefix.
 */
export function toMessages(items: readonly HistoryItem[], reader: Reader): readonly Message[] {
	const messages = toTurns(items, reader).flatMap((turn) =>
		turn.kind === "answer" ? [{ role: "assistant" as const, content: turn.blocks }] : inputMessages(turn),
	);
	// An answer that broke off cannot be continued by the model without a message in between.
	return messages.at(-1)?.role === "assistant" ? [...messages, { role: "user", content: [CONTINUE] }] : messages;
}

const CONTINUE: Block = { type: "text", text: CUT_OFF };

function toTurns(items: readonly HistoryItem[], reader: Reader): readonly Turn[] {
	const outputs = new Map(items.flatMap((item) => (item.kind === "toolOutput" ? [[item.callId, item.output]] : [])));
	const turns: Turn[] = [];
	let answer: Block[] = [];
	let calls: string[] = [];
	const input = (): Input => {
		const blocks = withoutLastThoughts(answer);
		if (blocks.length > 0) turns.push({ kind: "answer", blocks });
		const results = calls.map((callId) => toResult(callId, outputs.get(callId) ?? ""));
		answer = [];
		calls = [];
		const last = turns.at(-1);
		if (last?.kind === "input") return last;
		const next = { kind: "input" as const, results, said: [], host: [] };
		turns.push(next);
		return next;
	};
	for (const item of items) {
		switch (item.kind) {
			case "reasoning":
				answer.push(...toThought(item, reader));
				break;
			case "agentMessage":
				answer.push(...textBlocks(item.text));
				break;
			case "toolCall":
				calls.push(item.callId);
				answer.push({ type: "tool_use", ...nameCall(item), input: JSON.parse(wireArguments(item.arguments)) });
				break;
			case "toolOutput":
				// Placed with its call.
				input();
				break;
			case "userMessage":
				input().said.push(...textBlocks(item.text));
				break;
			case "userImage":
				input().said.push(toImage(item));
				break;
			case "fragment":
				if (item.role === "developer" && reader.systemMessages) input().host.push(item.text);
				else input().said.push(...textBlocks(item.role === "developer" ? labelled(item.text) : item.text));
				break;
			// Only the Responses API accepts it; the text before it says what is missing.
			case "sealedSummary":
				break;
		}
	}
	const { results, said, host } = input();
	return [results, said, host].every(({ length }) => length === 0) ? turns.slice(0, -1) : turns;
}

/**
 * Whether the last answer made calls without a thought before them: it was written without thinking or by another model,
 * or its thoughts were refused or compacted.
 */
export function lacksThought(messages: readonly Message[]): boolean {
	const last = messages.findLast(({ role }) => role === "assistant")?.content ?? [];
	return last.some(({ type }) => type === "tool_use") && !isThought(last[0]);
}

function isThought(block: Block | undefined): boolean {
	return block?.type === "thinking" || block?.type === "redacted_thinking";
}

/** A system message may only follow a user message, so text from the host alone is sent as a labelled one. */
function inputMessages({ results, said, host }: Input): readonly Message[] {
	const content = [...results, ...said];
	const system = host.filter(isVisible).join("\n\n");
	if (content.length === 0)
		return [{ role: "user", content: [{ type: "text", text: system === "" ? NO_TEXT : labelled(system) }] }];
	if (system === "") return [{ role: "user", content }];
	return [
		{ role: "user", content },
		{ role: "system", content: textBlocks(system) },
	];
}

/** The API refuses an answer that ends in a thought. */
function withoutLastThoughts(blocks: readonly Block[]): readonly Block[] {
	return blocks.slice(0, blocks.findLastIndex((block) => !isThought(block)) + 1);
}

/** Goes back unchanged, and only to its author. */
function toThought(
	{ providerId, summary, encrypted, source }: Extract<HistoryItem, { kind: "reasoning" }>,
	reader: Reader,
): readonly Block[] {
	if (encrypted === undefined || source !== reader.source || reader.refusedSeals.has(encrypted)) return [];
	if (providerId === REDACTED) return [{ type: "redacted_thinking", data: encrypted }];
	return [{ type: "thinking", thinking: summary.join(""), signature: encrypted }];
}

function toResult(callId: string, output: string): Block {
	return { type: "tool_result", tool_use_id: toId(callId), ...(isVisible(output) ? { content: output } : {}) };
}

function nameCall({ callId, name }: Extract<HistoryItem, { kind: "toolCall" }>) {
	return { id: toId(callId), name: wireName(name) };
}

function toId(callId: string): string {
	return wireCallId(callId, "plain");
}

function toImage({ mediaType, data }: UserImage): Block {
	return { type: "image", source: { type: "base64", media_type: mediaType, data } };
}

/** The API refuses blocks without visible text. */
function textBlocks(text: string): Block[] {
	return isVisible(text) ? [{ type: "text", text }] : [];
}

function isVisible(text: string): boolean {
	return text.trim() !== "";
}
