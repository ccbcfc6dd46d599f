import { callIdsIn } from "../../../history/normalize.ts";
import { estimateTokens, IMAGE_TOKENS } from "../../../history/tokens.ts";
import type { EditorEnd, EditorMessage, EditorModel, EditorPart } from "../../../protocol/host/editor-models.ts";
import { type Said, say } from "../../../protocol/say.ts";
import type { TokenCount } from "../../../protocol/thread/events.ts";
import { type ModelEvent, ModelFailure, type ModelRequest } from "../../port.ts";
import { withMessageLast } from "../after-cut.ts";
import { createCallLimit } from "../call-limit.ts";
import { nameCalls } from "../names.ts";
import { plainLine } from "../refusals/refusal.ts";
import { countImages, joinTexts, toEditorMessages } from "./editor-body.ts";

/** Time for the editor to count tokens; after that we use our own estimate. */
const COUNT_MS = 2_000;

/** The editor's own models, as the client serves them. */
export interface EditorModels {
	readonly list: () => Promise<readonly EditorModel[]>;
	/** Resolves after the last part, when the answer has ended. */
	readonly stream: (ask: EditorAsk, take: (part: EditorPart) => void, signal: AbortSignal) => Promise<EditorEnd>;
	readonly countTokens: (model: string, text: string, signal: AbortSignal) => Promise<number>;
}

export interface EditorAsk {
	readonly model: string;
	readonly messages: readonly EditorMessage[];
	readonly tools: readonly { name: string; description: string; inputSchema: Record<string, unknown> }[];
}

/** A request in the form that the editor's models take. */
export function toEditorAsk(request: ModelRequest): EditorAsk {
	const tools = request.tools.map(({ name, description, parameters }) => ({
		name,
		description,
		inputSchema: { ...parameters },
	}));
	return { model: request.model, messages: toEditorMessages(withMessageLast(request)), tools };
}

/** Asks one of the editor's models. Its calls arrive whole, and are made only after the complete answer. */
export async function* streamEditorModel(
	models: EditorModels,
	request: ModelRequest,
	signal: AbortSignal,
): AsyncGenerator<readonly ModelEvent[]> {
	const ask = toEditorAsk(request);
	const calls: { readonly id: string; readonly name: string; readonly arguments: string }[] = [];
	const limit = createCallLimit();
	let text = "";
	const parts = queueParts((take) => models.stream(ask, take, signal), signal);
	for await (const part of parts) {
		if (part.kind === "toolCall") {
			const args = JSON.stringify(part.input ?? {});
			limit.addCall();
			limit.addText(args);
			calls.push({ id: part.callId, name: part.name, arguments: args });
			yield [{ type: "working" }];
		} else if (part.text !== "") {
			text += part.text;
			yield [{ type: "delta", key: "text", kind: "agentMessage", text: part.text }];
		}
	}
	if (text !== "") yield [{ type: "item", key: "text", item: { kind: "agentMessage", text } }];
	for (const [index, call] of nameCalls(calls, callIdsIn(request.input)).entries()) {
		const item = { kind: "toolCall", callId: call.id, name: call.name, arguments: call.arguments } as const;
		yield [{ type: "item", key: `call-${index}`, item }];
	}
	const asked = joinTexts(ask.messages) + JSON.stringify(ask.tools);
	const usage = await countUsage(models, request.model, asked, text + JSON.stringify(calls));
	const images = countImages(ask.messages) * IMAGE_TOKENS;
	const counted = { ...usage, input: usage.input + images, total: usage.total + images };
	yield [{ type: "completed", usage: counted, estimated: true }];
}

/** Yields parts as they are pushed; ends with the answer, or throws the reason for its failure. */
async function* queueParts(
	start: (take: (part: EditorPart) => void) => Promise<EditorEnd>,
	signal: AbortSignal,
): AsyncGenerator<EditorPart> {
	const waiting: EditorPart[] = [];
	let news = Promise.withResolvers<void>();
	let end: EditorEnd | undefined;
	let broken: { readonly error: unknown } | undefined;
	const wake = (): void => news.resolve();
	signal.addEventListener("abort", wake, { once: true });
	start((part) => {
		waiting.push(part);
		wake();
	})
		.then(
			(how) => {
				end = how;
			},
			(error: unknown) => {
				broken = { error };
			},
		)
		.finally(wake);
	for (;;) {
		await news.promise;
		news = Promise.withResolvers();
		signal.throwIfAborted();
		for (const part of waiting.splice(0)) yield part;
		signal.throwIfAborted();
		if (waiting.length > 0) wake();
		else if (broken !== undefined) throw broken.error;
		else if (end?.status === "failed") throw toFailure(end);
		else if (end !== undefined) return;
	}
}

function toFailure({ code, message }: Extract<EditorEnd, { status: "failed" }>): ModelFailure {
	const said = plainLine(message);
	switch (code) {
		case "no-consent":
			return fail("auth", say("editor-no-consent"));
		case "not-found":
			return fail("model-not-found", say("editor-model-gone"));
		case "quota":
			return fail("rate-limit", say("editor-no-quota", { said }));
		case "too-long":
			return fail("context-too-long", say("context-too-long"));
		case "unavailable":
			return fail("model-not-set-up", say("editor-no-models"));
		case "rate-limit":
			return new ModelFailure("rate-limit", say("editor-rate-limited", { said }), { retryable: true });
		case "cancelled":
			return new ModelFailure("network", say("editor-answer-cut"), { retryable: true });
		case "other":
			return new ModelFailure("server", say("editor-model-failed", { said }), { retryable: true });
	}
}

function fail(code: ModelFailure["code"], said: Said): ModelFailure {
	return new ModelFailure(code, said, { retryable: false });
}

/** Editor models report no usage: the editor counts, otherwise we estimate. */
async function countUsage(models: EditorModels, model: string, asked: string, said: string): Promise<TokenCount> {
	const signal = AbortSignal.timeout(COUNT_MS);
	const count = async (text: string): Promise<number> => {
		const late = new Promise<never>((_, reject) => {
			signal.addEventListener("abort", () => reject(signal.reason), { once: true });
		});
		try {
			const tokens = await Promise.race([models.countTokens(model, text, signal), late]);
			return Number.isFinite(tokens) && tokens > 0 ? Math.round(tokens) : estimateTokens(text);
		} catch {
			// A failing counter only costs accuracy.
			return estimateTokens(text);
		}
	};
	const [input, output] = await Promise.all([count(asked), count(said)]);
	return { input, cached: 0, output, reasoning: 0, total: input + output };
}
