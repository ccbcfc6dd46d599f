import type { IncomingMessage, ServerResponse } from "node:http";
import { fromDrive, isAsWindows } from "./as-windows/drive-paths.ts";

/** A request as it arrived, kept whole. */
export interface RecordedRequest {
	readonly method: string;
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
	/** The body's own bytes, for comparisons of prefixes. */
	readonly text: string;
	readonly body: unknown;
	/** `performance.now()` when the whole request had arrived. */
	readonly at: number;
	/** `performance.now()` when the last byte of the answer was handed over. */
	answeredAt: number | undefined;
	/** The client went away before the answer was complete. */
	closedByClient: boolean;
	/** Settles when the exchange is over, whoever ended it. */
	readonly closed: Promise<void>;
}

const MAX_BODY_BYTES = 64 * 1024 * 1024;

export async function recordRequest(message: IncomingMessage, response: ServerResponse): Promise<RecordedRequest> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of message as AsyncIterable<Buffer>) {
		bytes += chunk.length;
		if (bytes > MAX_BODY_BYTES) throw new Error("The request's body is too large.");
		chunks.push(chunk);
	}
	const at = performance.now();
	const closed = Promise.withResolvers<void>();
	const text = Buffer.concat(chunks).toString();
	const request: RecordedRequest = {
		method: message.method ?? "",
		path: message.url ?? "",
		headers: Object.fromEntries(Object.entries(message.headers).map(([name, value]) => [name, String(value)])),
		text,
		body: isAsWindows() ? fromDrive(parse(text)) : parse(text),
		at,
		answeredAt: undefined,
		closedByClient: false,
		closed: closed.promise,
	};
	response.on("close", () => {
		// `play` destroys the socket itself when a step cuts; then `answeredAt` is set or about to be.
		request.closedByClient = !response.writableFinished && !response.errored && request.answeredAt === undefined;
		closed.resolve();
	});
	return request;
}

function parse(text: string): unknown {
	if (text === "") return undefined;
	try {
		return JSON.parse(text);
	} catch {
		// A body that is no JSON is a finding of the test, which reads `text`; the server lives on.
		return undefined;
	}
}
