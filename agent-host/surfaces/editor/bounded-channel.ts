import {
	AbstractMessageReader,
	type DataCallback,
	type Disposable,
	type Message,
	type MessageReader,
} from "vscode-jsonrpc/node";
import { MAX_DEPTH, MAX_FRAME_BYTES } from "./frames.ts";

/** A process whose parent sends it messages. */
export interface ChannelStart {
	readonly on: (event: "message", receive: (message: unknown) => void) => unknown;
	readonly off: (event: "message", receive: (message: unknown) => void) => unknown;
	readonly once: (event: "disconnect" | "error", hear: (problem?: Error) => void) => unknown;
}

/** The id of a refused request; null if the message has none. */
export type MessageId = string | number | null;

/**
 * Reads from Node's own channel with the same limits as for frames. Node has already parsed the message, so the limits
 * only affect its processing. `refuse` is called for everything that was skipped.
 */
export class BoundedChannel extends AbstractMessageReader implements MessageReader {
	readonly #channel: ChannelStart;
	readonly #refuse: (reason: string, id: MessageId) => void;

	constructor(channel: ChannelStart, refuse: (reason: string, id: MessageId) => void) {
		super();
		this.#channel = channel;
		this.#refuse = refuse;
	}

	listen(callback: DataCallback): Disposable {
		const receive = (message: unknown): void => {
			const problem = problemWith(message) ?? deliver(message as Message, callback);
			if (problem !== undefined) this.#refuse(problem, readId(message));
		};
		this.#channel.on("message", receive);
		this.#channel.once("disconnect", () => this.fireClose());
		this.#channel.once("error", (error) => this.fireError(error));
		return { dispose: () => this.#channel.off("message", receive) };
	}
}

// The library throws at some messages, such as a cancellation without an id; that must not end the host.
function deliver(message: Message, callback: DataCallback): string | undefined {
	try {
		callback(message);
		return undefined;
	} catch {
		return "A message has invalid parameters for its method and was ignored.";
	}
}

function readId(message: unknown): MessageId {
	const { id, method } = Object(message);
	return method !== undefined && (typeof id === "string" || typeof id === "number") ? id : null;
}

/** Why a message is refused. Goes level by level and only up to the limits, so that no nesting is too deep. */
function problemWith(message: unknown): string | undefined {
	if (typeof message !== "object" || message === null || Array.isArray(message))
		return "A message is not a JSON object and was ignored.";
	let size = 0;
	let level: readonly object[] = [message];
	for (let depth = 1; level.length > 0; depth += 1) {
		if (depth > MAX_DEPTH) return `A message is nested deeper than ${MAX_DEPTH} levels and was ignored.`;
		const below: object[] = [];
		for (const [key, value] of level.flatMap((one) => Object.entries(one))) {
			size += key.length + (typeof value === "string" ? value.length : 1);
			if (typeof value === "object" && value !== null) below.push(value);
		}
		if (size > MAX_FRAME_BYTES) return `A message is over the limit of ${MAX_FRAME_BYTES} bytes and was ignored.`;
		level = below;
	}
	return undefined;
}
