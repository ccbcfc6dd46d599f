import type { HistoryItem, UserImage } from "../../history/history-item.ts";
import { NO_TEXT } from "./host-text.ts";

export type Call = Extract<HistoryItem, { kind: "toolCall" }>;

/** History for wires with messages: host or user messages, and answers with their calls, each call with its output. */
export type Exchange =
	| { readonly kind: "host"; readonly text: string }
	| { readonly kind: "user"; readonly text: string; readonly images: readonly UserImage[] }
	| {
			readonly kind: "answer";
			readonly text: string;
			/** The model's readable reasoning before this answer. */
			readonly reasoning: string;
			/** The provider's own fields of the message, if the reader wrote them. */
			readonly extra: Readonly<Record<string, unknown>>;
			readonly calls: readonly { readonly call: Call; readonly output: string }[];
	  };

/**
 * Groups each answer with its calls, and each call with its output, wherever that is. Reasoning and fields of another
 * source than the reader are left out.
 */
export function toExchanges(items: readonly HistoryItem[], source?: string): readonly Exchange[] {
	const outputs = new Map(items.flatMap((item) => (item.kind === "toolOutput" ? [[item.callId, item.output]] : [])));
	const exchanges: Exchange[] = [];
	let reasoning = "";
	const isOwn = (item: { readonly source?: string | undefined }) => item.source === undefined || item.source === source;
	const answer = (text: string, from: number, said?: Record<string, unknown>): number => {
		const calls = callsFrom(items, from).map((call) => (isOwn(call) ? call : withoutExtra(call)));
		// Servers refuse an answer with nothing in it, as some models give after the output of their calls.
		if (calls.length === 0 && text.trim() === "") return from;
		const extra = { ...said, ...Object.assign({}, ...calls.map((call) => call.extra)) };
		const answered = calls.map((call) => ({ call, output: outputs.get(call.callId) ?? "" }));
		exchanges.push({ kind: "answer", text, reasoning, extra, calls: answered });
		reasoning = "";
		return from + calls.length;
	};
	for (let next = 0; next < items.length; ) {
		const item = items[next];
		switch (item?.kind) {
			case "reasoning":
				if (item.encrypted === undefined && isOwn(item)) reasoning += item.summary.join("\n");
				next += 1;
				break;
			case "agentMessage":
				next = answer(item.text, next + 1, isOwn(item) ? item.extra : undefined);
				break;
			case "toolCall":
				next = answer("", next);
				break;
			case "fragment":
				reasoning = "";
				exchanges.push(
					isHost(item) ? { kind: "host", text: item.text } : { kind: "user", text: item.text, images: [] },
				);
				next += 1;
				break;
			case "userMessage":
			case "userImage": {
				reasoning = "";
				const images = imagesFrom(items, item.kind === "userMessage" ? next + 1 : next);
				const text = item.kind === "userMessage" ? item.text : "";
				exchanges.push({ kind: "user", text: text.trim() === "" && images.length === 0 ? NO_TEXT : text, images });
				next += images.length + (item.kind === "userMessage" ? 1 : 0);
				break;
			}
			// Only the Responses API accepts it; the text before it says what is missing.
			case "sealedSummary":
			case "toolOutput":
			case undefined:
				next += 1;
				break;
		}
	}
	return exchanges;
}

/** The images at an index, up to the next entry of another kind. */
export function imagesFrom(items: readonly HistoryItem[], start: number): readonly UserImage[] {
	const images: UserImage[] = [];
	for (let index = start; ; index += 1) {
		const item = items[index];
		if (item?.kind !== "userImage") return images;
		images.push(item);
	}
}

export function imageUrl({ mediaType, data }: UserImage): string {
	return `data:${mediaType};base64,${data}`;
}

function callsFrom(items: readonly HistoryItem[], start: number): readonly Call[] {
	const calls: Call[] = [];
	for (let index = start; ; index += 1) {
		const item = items[index];
		if (item?.kind !== "toolCall") return calls;
		calls.push(item);
	}
}

function withoutExtra({ extra: _, ...call }: Call): Call {
	return call;
}

function isHost({ role }: Extract<HistoryItem, { kind: "fragment" }>): boolean {
	return role === "developer";
}
