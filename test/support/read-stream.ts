import { type ModelEvent, ModelFailure } from "../../agent-host/model/port.ts";
import { type Connection, readAnswer, type WireReader } from "../../agent-host/model/wires/connection/answer.ts";

/** What is said and called, and how it ends: whole, or as which failure, to be tried again or not. */
export interface Outcome {
	readonly text?: string;
	readonly calls?: readonly string[];
	readonly end: string;
}

/** A body of a stream, and what comes of it. */
export type StreamRow = readonly [what: string, body: string, outcome: Outcome];

/** One event of a stream. */
export function event(fields: object): string {
	return `data: ${JSON.stringify(fields)}\n\n`;
}

/** Somebody who listens to the end. */
export function aListener(): Connection {
	return { origin: "http://s", signal: new AbortController().signal, hangUp: () => undefined };
}

/** A body that comes in one piece. */
export async function* bodyOf(text: string): AsyncGenerator<Uint8Array> {
	yield Buffer.from(text);
}

/** The events of a stream one by one, however they came. */
export async function* eachEvent<T extends ModelEvent>(stream: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
	for await (const events of stream) yield* events;
}

/** What a reader makes of a body. */
export async function outcomeOf(
	body: string | AsyncIterable<Uint8Array>,
	reader: WireReader,
): Promise<Required<Outcome>> {
	const events: ModelEvent[] = [];
	const bytes = typeof body === "string" ? bodyOf(body) : body;
	try {
		for await (const one of eachEvent(readAnswer(bytes, reader, aListener()))) events.push(one);
	} catch (error) {
		if (!(error instanceof ModelFailure)) throw error;
		return { ...heard(events), end: error.retryable ? `${error.code}, again` : error.code };
	}
	return { ...heard(events), end: events.at(-1)?.type ?? "nothing" };
}

/** The text as it is kept: of whole items where there are any, else what was streamed. */
function heard(events: readonly ModelEvent[]): { readonly text: string; readonly calls: readonly string[] } {
	const items = events.flatMap((one) => (one.type === "item" ? [one.item] : []));
	const whole = items.flatMap((one) => (one.kind === "agentMessage" ? [one.text] : []));
	const streamed = events.flatMap((one) => (one.type === "delta" ? [one.text] : []));
	const calls = items.flatMap((one) => (one.kind === "toolCall" ? [`${one.callId} ${one.name} ${one.arguments}`] : []));
	return { text: (whole.length > 0 ? whole : streamed).join(""), calls };
}

/** Every path to a field of a value, and the value without that field. */
export function withoutEach(value: unknown, path: string = ""): readonly (readonly [path: string, value: unknown])[] {
	if (typeof value !== "object" || value === null) return [];
	if (Array.isArray(value)) {
		return value.flatMap((one, index) =>
			withoutEach(one, `${path}/${index}`).map(([at, changed]) => [at, value.with(index, changed)] as const),
		);
	}
	return Object.entries(value).flatMap(([key, one]) => {
		const { [key]: _, ...rest } = value as Record<string, unknown>;
		const inside = withoutEach(one, `${path}/${key}`).map(
			([at, changed]) => [at, { ...value, [key]: changed }] as const,
		);
		return [[`${path}/${key}`, rest], [`${path}/${key} is null`, { ...rest, [key]: null }], ...inside] as const;
	});
}
