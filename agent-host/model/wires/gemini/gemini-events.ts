import * as z from "zod";
import type { HistoryItem } from "../../../history/history-item.ts";
import type { TokenCount } from "../../../protocol/thread/events.ts";
import type { ModelEvent, ToolSpecification } from "../../port.ts";
import { createCallLimit } from "../call-limit.ts";
import type { WireReader } from "../connection/answer.ts";
import { createDrafts } from "../drafts.ts";
import { nameCalls } from "../names.ts";
import { readUsage } from "../read-usage.ts";
import { failureInStream, garbledCallFailure, stoppedEarly } from "../refusals/failure.ts";
import { readRefusalInStream } from "../refusals/refusal.ts";
import { SIGNED } from "./gemini-turns.ts";

// The parts of a server's chunks that we read. Everything that we can do without is optional.
const Text = z.string().nullish().catch(undefined);

const Part = z.looseObject({
	text: Text,
	thought: z.boolean().nullish().catch(undefined),
	thoughtSignature: Text,
	functionCall: z.looseObject({ id: Text, name: Text, args: z.unknown().optional() }).nullish(),
});
type Part = z.infer<typeof Part>;

const Candidate = z.object({
	index: z.number().nullish().catch(undefined),
	content: z
		.object({ parts: z.array(z.unknown()).nullish() })
		.nullish()
		.catch(undefined),
	finishReason: Text,
});

const Chunk = z.looseObject({
	candidates: z.array(z.unknown()).nullish().catch(undefined),
	promptFeedback: z.object({ blockReason: Text }).nullish().catch(undefined),
	usageMetadata: z.unknown().optional(),
	error: z.unknown().optional(),
});

type Call = Extract<HistoryItem, { kind: "toolCall" }>;

/** A piece of output that is being written. */
interface Open {
	readonly key: string;
	readonly kind: "agentMessage" | "reasoning";
	readonly pieces: { text: string; thoughtSignature?: string }[];
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
		return text === "" ? before : [...before, { type: "delta", key: open.key, kind, text }];
	};
	const call = ({ id, name, args }: NonNullable<Part["functionCall"]>, signature: string): readonly ModelEvent[] => {
		if (!name) throw garbledCallFailure();
		limit.addCall();
		const text = JSON.stringify(args ?? {});
		limit.addText(text);
		const signed = signature === "" ? {} : { extra: { thoughtSignature: signature }, source };
		const item = { kind: "toolCall", callId: id ?? "", name, arguments: text, ...signed } as const;
		calls.push({ id: id ?? "", item });
		return [...close(), draft({ key: `call-${calls.length - 1}`, name, text, form: "json" })];
	};
	const readPart = (raw: unknown): readonly ModelEvent[] => {
		const parsed = Part.safeParse(raw);
		if (!parsed.success) return isCall(raw) ? fail() : [];
		const { text, thought, thoughtSignature, functionCall } = parsed.data;
		const signature = thoughtSignature ?? "";
		limit.addSealed(signature);
		if (functionCall) return call(functionCall, signature);
		if (thought) return text ? write("reasoning", text, "") : [];
		if (text || (signature !== "" && open?.kind === "agentMessage"))
			return write("agentMessage", text ?? "", signature);
		return signature === "" ? [] : [...close(), seal(signature)];
	};
	const seal = (encrypted: string): ModelEvent => ({
		type: "item",
		key: `piece-${count++}`,
		item: { kind: "reasoning", providerId: SIGNED, summary: [], encrypted, source },
	});
	const readCandidate = (raw: unknown): readonly ModelEvent[] => {
		const candidate = Candidate.safeParse(raw);
		// Only one was requested.
		if (!candidate.success || (candidate.data.index ?? 0) !== 0) return [];
		const { content, finishReason } = candidate.data;
		const events = (content?.parts ?? []).flatMap(readPart);
		if (events.length > 0) finish = undefined;
		if (finishReason && finishReason !== "FINISH_REASON_UNSPECIFIED") finish = finishReason;
		return events;
	};
	const readChunk = (message: unknown): readonly ModelEvent[] => {
		const chunk = Chunk.safeParse(message);
		if (!chunk.success) return [];
		const { candidates, promptFeedback, usageMetadata, error } = chunk.data;
		if (error) throw failureInStream(readRefusalInStream(error));
		usage = readUsage(toUsage(usageMetadata)) ?? usage;
		const blocked = promptFeedback?.blockReason;
		if (blocked && !candidates?.length) throw stoppedEarly(blocked === "OTHER" ? "PROHIBITED_CONTENT" : blocked);
		// What comes after the end is not part of the answer; only counts may follow.
		return isOver() ? [] : (candidates ?? []).flatMap(readCandidate);
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
	if (signature !== "") pieces.push({ text, thoughtSignature: signature });
	else if (last === undefined || last.thoughtSignature !== undefined) pieces.push({ text });
	else last.text += text;
}

function toItem({ kind, pieces }: Open, source: string): HistoryItem {
	const text = pieces.map((piece) => piece.text).join("");
	if (kind === "reasoning") return { kind, providerId: "", summary: [text], source };
	const isSigned = pieces.some(({ thoughtSignature }) => thoughtSignature !== undefined);
	return { kind, text, ...(isSigned ? { extra: { signedParts: pieces }, source } : {}) };
}

const Counts = z.record(z.string(), z.unknown());

/** The counts under the names of the other wires. Thoughts and the prompts of tools are counted beside the rest. */
function toUsage(raw: unknown): unknown {
	if (raw === undefined) return undefined;
	const counts = Counts.safeParse(raw).data;
	if (counts === undefined) return undefined;
	const count = (name: string): number => (typeof counts[name] === "number" ? counts[name] : 0);
	return {
		prompt_tokens: count("promptTokenCount") + count("toolUsePromptTokenCount"),
		completion_tokens: count("candidatesTokenCount") + count("thoughtsTokenCount"),
		prompt_tokens_details: { cached_tokens: count("cachedContentTokenCount") },
		completion_tokens_details: { reasoning_tokens: count("thoughtsTokenCount") },
	};
}

function isCall(raw: unknown): boolean {
	return typeof raw === "object" && raw !== null && "functionCall" in raw;
}

function fail(): never {
	throw garbledCallFailure();
}
