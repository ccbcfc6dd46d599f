import type { Readable, Writable } from "node:stream";
import {
	AbstractMessageReader,
	AbstractMessageWriter,
	type DataCallback,
	type Disposable,
	type Message,
	type MessageReader,
	type MessageWriter,
} from "vscode-jsonrpc/node";

/** Limit for one message. Larger ones are refused and skipped; the connection stays open. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024;
/** Nesting limit for arrays and objects. */
export const MAX_DEPTH = 64;
const MAX_HEADER_BYTES = 8_192;

const HEADER_END = Buffer.from("\r\n\r\n");

type ReadState =
	| { readonly at: "header" }
	| { readonly at: "body"; readonly length: number }
	/** Skipping the body of a refused message. */
	| { readonly at: "skip"; left: number };

/** Reads language-server frames with its own limits. `refuse` is called for everything that was skipped. */
export class BoundedReader extends AbstractMessageReader implements MessageReader {
	readonly #input: Readable;
	readonly #refuse: (reason: string) => void;
	#chunks: Buffer[] = [];
	#size = 0;
	#state: ReadState = { at: "header" };

	constructor(input: Readable, refuse: (reason: string) => void) {
		super();
		this.#input = input;
		this.#refuse = refuse;
	}

	listen(callback: DataCallback): Disposable {
		const onData = (chunk: Buffer) => {
			this.#chunks.push(chunk);
			this.#size += chunk.length;
			while (this.#advance(callback)) {
				// Each round takes one header, body or skipped part.
			}
		};
		const onClose = () => this.fireClose();
		this.#input.on("data", onData);
		this.#input.on("close", onClose);
		this.#input.on("end", onClose);
		this.#input.on("error", (error) => this.fireError(error));
		return { dispose: () => this.#input.off("data", onData) };
	}

	#advance(callback: DataCallback): boolean {
		switch (this.#state.at) {
			case "header":
				return this.#readHeader();
			case "body":
				return this.#readBody(this.#state.length, callback);
			case "skip":
				return this.#skip(this.#state);
		}
	}

	#readHeader(): boolean {
		const bytes = this.#joined();
		const end = bytes.indexOf(HEADER_END);
		if (end < 0 && this.#size <= MAX_HEADER_BYTES) return false;
		if (end < 0 || end > MAX_HEADER_BYTES) return this.#resynchronize(bytes);
		this.#take(end + HEADER_END.length);
		const header = bytes.subarray(0, end).toString("latin1");
		const length = contentLength(header);
		if (length !== undefined && !header.split("\r\n").every((line) => /^[\w-]+:[^\n]*$/.test(line)))
			this.#refuse("Bytes before a message header were ignored.");
		if (length === undefined) this.#refuse("A message has no valid Content-Length header and was ignored.");
		else if (length > MAX_FRAME_BYTES) {
			this.#refuse(`A message of ${length} bytes is over the limit of ${MAX_FRAME_BYTES} and was ignored.`);
			this.#state = { at: "skip", left: length };
		} else this.#state = { at: "body", length };
		return true;
	}

	// These bytes are not a header: look for the next place where one begins.
	#resynchronize(bytes: Buffer): boolean {
		this.#refuse(`More than ${MAX_HEADER_BYTES} bytes arrived without a message header and were ignored.`);
		const next = bytes.indexOf("Content-Length:", 1, "latin1");
		this.#take(next < 0 ? bytes.length : next);
		return next >= 0;
	}

	#readBody(length: number, callback: DataCallback): boolean {
		if (this.#size < length) return false;
		const body = this.#take(length).toString("utf8");
		this.#state = { at: "header" };
		const message = parseMessage(body);
		if (typeof message === "string") this.#refuse(message);
		else this.#hand(message, callback);
		return true;
	}

	// The library throws at some messages, such as a cancellation without an id; that must not end the host.
	#hand(message: Message, callback: DataCallback): void {
		try {
			callback(message);
		} catch {
			this.#refuse("A message has invalid parameters for its method and was ignored.");
		}
	}

	#skip(state: { left: number }): boolean {
		const taken = Math.min(state.left, this.#size);
		this.#take(taken);
		state.left -= taken;
		if (state.left > 0) return false;
		this.#state = { at: "header" };
		return true;
	}

	#joined(): Buffer {
		const [first = Buffer.alloc(0)] = this.#chunks;
		if (this.#chunks.length <= 1) return first;
		const joined = Buffer.concat(this.#chunks);
		this.#chunks = [joined];
		return joined;
	}

	#take(count: number): Buffer {
		const bytes = this.#joined();
		const rest = bytes.subarray(count);
		this.#chunks = rest.length > 0 ? [rest] : [];
		this.#size = rest.length;
		return bytes.subarray(0, count);
	}
}

/** Combines messages that are sent together into one write; the library makes two per message. */
export class FrameWriter extends AbstractMessageWriter implements MessageWriter {
	readonly #output: Writable;
	#gathers = false;

	constructor(output: Writable) {
		super();
		this.#output = output;
		output.on("error", (error) => this.fireError(error));
		output.on("close", () => this.fireClose());
	}

	write(message: Message): Promise<void> {
		const body = Buffer.from(JSON.stringify(message));
		const frame = Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
		if (!this.#gathers) {
			this.#gathers = true;
			this.#output.cork();
			process.nextTick(() => this.#letGo());
		}
		return new Promise((resolve, reject) => {
			this.#output.write(frame, (error) => (error ? reject(error) : resolve()));
		});
	}

	#letGo(): void {
		this.#gathers = false;
		this.#output.uncork();
	}

	end(): void {
		this.#output.end();
	}
}

/** A process with a channel to its parent. */
export interface ChannelEnd {
	readonly send?: (
		message: unknown,
		handle: undefined,
		options: undefined,
		sent: (error: Error | null) => void,
	) => boolean;
}

/**
 * Sends over Node's own channel. Unlike the library's writer it resolves when a message has left, not when it was
 * passed on.
 */
export class ChannelWriter extends AbstractMessageWriter implements MessageWriter {
	readonly #channel: ChannelEnd;

	constructor(channel: ChannelEnd) {
		super();
		this.#channel = channel;
	}

	write(message: Message): Promise<void> {
		return new Promise((resolve, reject) => {
			const done = (error: Error | null) => {
				if (error === null) return resolve();
				this.fireError(error, message, 1);
				reject(error);
			};
			if (this.#channel.send === undefined) done(new Error("The channel to the parent is closed."));
			else this.#channel.send(message, undefined, undefined, done);
		});
	}

	end(): void {}
}

// The last header counts: anything before it may be the rest of something else.
function contentLength(header: string): number | undefined {
	const found = header.matchAll(/Content-Length: *(\d{1,15})(?=\r\n|$)/gi);
	const length = [...found].at(-1)?.[1];
	return length === undefined ? undefined : Number(length);
}

/** The message, or why it is invalid. */
function parseMessage(body: string): Message | string {
	if (measureDepth(body) > MAX_DEPTH) return `A message is nested deeper than ${MAX_DEPTH} levels and was ignored.`;
	try {
		const value: unknown = JSON.parse(body);
		if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Message;
		return "A message is not a JSON object and was ignored.";
	} catch {
		return "A message is not valid JSON and was ignored.";
	}
}

function measureDepth(json: string): number {
	let depth = 0;
	let deepest = 0;
	let inString = false;
	for (let index = 0; index < json.length; index += 1) {
		const code = json.charCodeAt(index);
		if (inString) {
			if (code === 92) index += 1;
			else if (code === 34) inString = false;
		} else if (code === 34) inString = true;
		else if (code === 91 || code === 123) {
			depth += 1;
			if (depth > deepest) deepest = depth;
		} else if (code === 93 || code === 125) depth -= 1;
	}
	return deepest;
}
