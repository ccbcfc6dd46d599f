import type { HistoryItem } from "../../../history/history-item.ts";
import type { TokenCount } from "../../../protocol/thread/events.ts";
import type { ModelEvent, ToolSpecification } from "../../port.ts";
import { createCallLimit } from "../call-limit.ts";
import type { WireReader } from "../connection/answer.ts";
import { createDrafts } from "../drafts.ts";
import { type Fields, readFields, readNumber, readText } from "../fields.ts";
import { joinLists, readEach } from "../join-lists.ts";
import { nameCalls } from "../names.ts";
import { readUsage } from "../read-usage.ts";
import { failureInStream, garbledCallFailure, stoppedEarly } from "../refusals/failure.ts";
import { readRefusalInStream } from "../refusals/refusal.ts";
import { SIGNED } from "./gemini-turns.ts";

type Call = Extract<HistoryItem, { kind: "toolCall" }>;

/** What stands in one part, or in several without a signature. */
interface Piece {
	readonly texts: string[];
	readonly thoughtSignature?: string;
}

/** A piece of output that is being written. */
interface Open {
	readonly key: string;
	readonly kind: "agentMessage" | "reasoning";
	readonly pieces: Piece[];
}

/** Reads a Gemini stream. Calls are only passed on when the whole answer is there. */
export function createGeminiReader(
	/** Ids of calls already in the thread: the API often sends none. */
	takenIds: ReadonlySet<string>,
	source: string,
	tools: readonly ToolSpecification[],
): WireReader {
	const draft = createDrafts(tools);
	const limit = createCallLimit();
	const calls: { readonly id: string; readonly item: Call }[] = [];
	let open: Open | undefined;
	let count = 0;
	let finish: string | undefined;
	let usage: TokenCount | undefined;

	const close = (): readonly ModelEvent[] => {
		const done = open;
		open = undefined;
		return done === undefined ? [] : [{ type: "item", key: done.key, item: toItem(done, source) }];
	};
	const write = (kind: Open["kind"], text: string, signature: string): readonly ModelEvent[] => {
		const before = open?.kind === kind ? [] : close();
		open ??= { key: `piece-${count++}`, kind, pieces: [] };
		addPiece(open, text, signature);
		return text === "" ? before : joinLists(before, [{ type: "delta", key: open.key, kind, text }]);
	};
	const call = ({ id, name, args }: Fields, signature: string): readonly ModelEvent[] => {
		const callId = readText(id) ?? "";
		if (typeof name !== "string" || name === "") throw garbledCallFailure();
		limit.addCall();
		const text = JSON.stringify(args ?? {});
		limit.addText(text);
		const signed = signature === "" ? {} : { extra: { thoughtSignature: signature }, source };
		const item = { kind: "toolCall", callId, name, arguments: text, ...signed } as const;
		calls.push({ id: callId, item });
		return [...close(), draft({ key: `call-${calls.length - 1}`, name, text, form: "json" })];
	};
	const readPart = (raw: unknown): readonly ModelEvent[] => {
		const part = readFields(raw);
		if (part === undefined) return [];
		const { thought, functionCall = null } = part;
		const called = readFields(functionCall);
		if (called === undefined && functionCall !== null) throw garbledCallFailure();
		const [text, signature] = [readText(part.text) ?? "", readText(part.thoughtSignature) ?? ""];
		limit.addSealed(signature);
		if (called !== undefined) return call(called, signature);
		if (thought === true) return text === "" ? [] : write("reasoning", text, "");
		if (text !== "" || (signature !== "" && open?.kind === "agentMessage"))
			return write("agentMessage", text, signature);
		return signature === "" ? [] : [...close(), seal(signature)];
	};
	const seal = (encrypted: string): ModelEvent => ({
		type: "item",
		key: `piece-${count++}`,
		item: { kind: "reasoning", providerId: SIGNED, summary: [], encrypted, source },
	});
	const readCandidate = (raw: unknown): readonly ModelEvent[] => {
		const candidate = readFields(raw);
		// Only one was requested.
		if (candidate === undefined || (readNumber(candidate.index) ?? 0) !== 0) return [];
		const events = readEach(readList(readFields(candidate.content)?.parts), readPart);
		if (events.length > 0) finish = undefined;
		const reason = readText(candidate.finishReason) ?? "";
		if (reason !== "" && reason !== "FINISH_REASON_UNSPECIFIED") finish = reason;
		return events;
	};
	const readChunk = (message: unknown): readonly ModelEvent[] => {
		const chunk = readFields(message);
		if (chunk === undefined) return [];
		if (chunk.error) throw failureInStream(readRefusalInStream(chunk.error));
		usage = readUsage(toUsage(chunk.usageMetadata)) ?? usage;
		const candidates = readList(chunk.candidates);
		const blocked = readText(readFields(chunk.promptFeedback)?.blockReason) ?? "";
		if (blocked !== "" && candidates.length === 0)
			throw stoppedEarly(blocked === "OTHER" ? "PROHIBITED_CONTENT" : blocked);
		// What comes after the end is not part of the answer; only counts may follow.
		return isOver() ? [] : readEach(candidates, readCandidate);
	};

	/** Some gateways put the word for the end on everything that says nothing, also before the answer. */
	const isOver = (): boolean => finish !== undefined && (finish !== "STOP" || count + calls.length > 0);

	return {
		// Without `alt=sse` the whole stream is one list.
		read: (message) => (Array.isArray(message) ? message.flatMap(readChunk) : readChunk(message)),
		end() {
			const last = close();
			if (finish === undefined) return [];
			if (GARBLED.has(finish)) throw garbledCallFailure();
			if (finish !== "STOP") throw stoppedEarly(finish);
			const named = nameCalls(calls, takenIds).map(
				({ id, item }, index): ModelEvent => ({ type: "item", key: `call-${index}`, item: { ...item, callId: id } }),
			);
			return [...last, ...named, usage === undefined ? { type: "completed" } : { type: "completed", usage }];
		},
		usage: () => usage,
		isOver,
	};
}

/** The model made a call that cannot be read; the next attempt is likely to succeed. */
const GARBLED: ReadonlySet<string> = new Set([
	"MALFORMED_FUNCTION_CALL",
	"UNEXPECTED_TOOL_CALL",
	"MISSING_THOUGHT_SIGNATURE",
]);

/** A signature belongs to the piece that it came with, so a signed piece is never joined with another. */
function addPiece({ pieces }: Open, text: string, signature: string): void {
	const last = pieces.at(-1);
	if (signature !== "") pieces.push({ texts: [text], thoughtSignature: signature });
	else if (last === undefined || last.thoughtSignature !== undefined) pieces.push({ texts: [text] });
	else last.texts.push(text);
}

function toItem({ kind, pieces }: Open, source: string): HistoryItem {
	const parts = pieces.map(({ texts, ...signed }) => ({ text: texts.join(""), ...signed }));
	const text = parts.map((part) => part.text).join("");
	if (kind === "reasoning") return { kind, providerId: "", summary: [text], source };
	const isSigned = parts.some(({ thoughtSignature }) => thoughtSignature !== undefined);
	return { kind, text, ...(isSigned ? { extra: { signedParts: parts }, source } : {}) };
}

/** The counts under the names of the other wires. Thoughts and the prompts of tools are counted beside the rest. */
function toUsage(raw: unknown): unknown {
	const counts = readFields(raw);
	if (counts === undefined) return undefined;
	const count = (name: string): number => (typeof counts[name] === "number" ? counts[name] : 0);
	return {
		prompt_tokens: count("promptTokenCount") + count("toolUsePromptTokenCount"),
		completion_tokens: count("candidatesTokenCount") + count("thoughtsTokenCount"),
		prompt_tokens_details: { cached_tokens: count("cachedContentTokenCount") },
		completion_tokens_details: { reasoning_tokens: count("thoughtsTokenCount") },
	};
}

function readList(value: unknown): readonly unknown[] {
	return Array.isArray(value) ? value : [];
}
