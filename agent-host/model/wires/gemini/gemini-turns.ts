import * as z from "zod";
import type { HistoryItem } from "../../../history/history-item.ts";
import { CUT_OFF, labelled, NO_TEXT } from "../host-text.ts";
import { wireArguments, wireCallId, wireName } from "../names.ts";

/** One piece of a content. A signature belongs to the piece that it came with. */
export interface Part {
	readonly text?: string;
	readonly inlineData?: { readonly mimeType: string; readonly data: string };
	readonly functionCall?: { readonly id: string; readonly name: string; readonly args: unknown };
	readonly functionResponse?: { readonly id: string; readonly name: string; readonly response: object };
	readonly thoughtSignature?: string;
}

export interface Content {
	readonly role: "user" | "model";
	readonly parts: readonly Part[];
}

/** `providerId` of a signature that came without text. */
export const SIGNED = "thought_signature";

/** Google's documented stand-in for calls that its model never signed. */
const NO_SIGNATURE = "skip_thought_signature_validator";

/** Who gets a request. */
export interface Reader {
	/** Identifies the model, whose signatures go back to it alone. */
	readonly source: string;
	/** Signatures that the server could not read. */
	readonly refusedSeals: ReadonlySet<string>;
	/** Whether the first call of each step needs a signature. */
	readonly needsSignatures: boolean;
}

/** The pieces of an answer with signatures, in the form in which an item keeps them. */
export const SignedParts = z.array(z.object({ text: z.string(), thoughtSignature: z.string().optional() }));

/** History as contents: all results of a step right after its calls, then what was said. */
export function toContents(items: readonly HistoryItem[], reader: Reader): readonly Content[] {
	const outputs = new Map(items.flatMap((item) => (item.kind === "toolOutput" ? [[item.callId, item.output]] : [])));
	const contents: Content[] = [];
	let answer: Part[] = [];
	let calls: Call[] = [];
	let said: Part[] = [];
	const endInput = (): void => {
		if (said.length > 0) contents.push({ role: "user", parts: said });
		said = [];
	};
	const endAnswer = (): void => {
		// A signature alone is no answer, but belongs to one.
		if (answer.length > 0) contents.push({ role: "model", parts: withSignature(answer, reader) });
		if (calls.length > 0) contents.push({ role: "user", parts: calls.map((call) => toResponse(call, outputs)) });
		answer = [];
		calls = [];
	};
	const answers = (...parts: readonly Part[]): void => {
		endInput();
		answer.push(...parts);
	};
	const says = (...parts: readonly Part[]): void => {
		if (parts.length === 0) return;
		endAnswer();
		said.push(...parts);
	};
	for (const item of items) {
		switch (item.kind) {
			case "reasoning":
				answers(...toSeal(item, reader));
				break;
			case "agentMessage":
				answers(...toTexts(item, reader));
				break;
			case "toolCall":
				answers(toCall(item, reader));
				calls.push(item);
				break;
			case "toolOutput":
				// Placed with its call; what follows is another step.
				endAnswer();
				break;
			case "userMessage":
				says({ text: item.text || NO_TEXT });
				break;
			case "userImage":
				says({ inlineData: { mimeType: item.mediaType, data: item.data } });
				break;
			case "fragment":
				says(...textParts(item.role === "developer" ? labelled(item.text) : item.text));
				break;
			// Only the Responses API accepts it; the text before it says what is missing.
			case "sealedSummary":
				break;
		}
	}
	endAnswer();
	endInput();
	return withUserAtEnds(contents);
}

type Call = Extract<HistoryItem, { kind: "toolCall" }>;

/** The user begins, and an answer that broke off cannot be continued without a message in between. */
function withUserAtEnds(contents: readonly Content[]): readonly Content[] {
	const first = contents[0]?.role === "user" ? [] : [say(labelled("The conversation continues."))];
	const last = contents.at(-1)?.role === "model" ? [say(CUT_OFF)] : [];
	return [...first, ...contents, ...last];
}

function say(text: string): Content {
	return { role: "user", parts: [{ text }] };
}

/** The first call of a step that its model has not signed says so. */
function withSignature(parts: readonly Part[], { needsSignatures }: Reader): readonly Part[] {
	const first = parts.findIndex(({ functionCall }) => functionCall !== undefined);
	return parts.map((part, index) =>
		index === first && needsSignatures && part.thoughtSignature === undefined
			? { ...part, thoughtSignature: NO_SIGNATURE }
			: part,
	);
}

function toCall(call: Call, reader: Reader): Part {
	const args: unknown = JSON.parse(wireArguments(call.arguments));
	return {
		functionCall: { id: wireCallId(call.callId, "plain"), name: wireName(call.name), args },
		...sign(call.source === reader.source ? call.extra?.thoughtSignature : undefined, reader),
	};
}

function toResponse({ callId, name }: Call, outputs: ReadonlyMap<string, string>): Part {
	const response = { output: outputs.get(callId) ?? "" };
	return { functionResponse: { id: wireCallId(callId, "plain"), name: wireName(name), response } };
}

/** An answer in the pieces in which it was signed, or as one. */
function toTexts(
	{ text, extra, source }: Extract<HistoryItem, { kind: "agentMessage" }>,
	reader: Reader,
): readonly Part[] {
	const signed = source === reader.source ? SignedParts.safeParse(extra?.signedParts).data : undefined;
	if (signed === undefined) return textParts(text);
	return signed.flatMap(({ text: piece, thoughtSignature }) => {
		const signature = sign(thoughtSignature, reader);
		return piece === "" && signature.thoughtSignature === undefined ? [] : [{ text: piece, ...signature }];
	});
}

function toSeal(
	{ providerId, encrypted, source }: Extract<HistoryItem, { kind: "reasoning" }>,
	reader: Reader,
): readonly Part[] {
	if (providerId !== SIGNED || source !== reader.source) return [];
	const signature = sign(encrypted, reader);
	return signature.thoughtSignature === undefined ? [] : [{ text: "", ...signature }];
}

function sign(signature: unknown, { refusedSeals }: Reader): Pick<Part, "thoughtSignature"> {
	return typeof signature === "string" && !refusedSeals.has(signature) ? { thoughtSignature: signature } : {};
}

/** The API refuses parts without text. */
function textParts(text: string): readonly Part[] {
	return text === "" ? [] : [{ text }];
}
