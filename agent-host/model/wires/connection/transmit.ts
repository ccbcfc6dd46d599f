import { type ClientRequest, type IncomingMessage, request as requestPlain } from "node:http";
import { unpack } from "./unpack.ts";

// Node's `fetch` would be loaded for this alone, which takes longer than the rest of a first request.

/** One request to one address. With a body it is a POST. */
export interface Sending {
	readonly url: URL;
	readonly headers: Readonly<Record<string, string>>;
	/** JSON, in pieces. */
	readonly body?: readonly Buffer[] | undefined;
	readonly signal: AbortSignal;
}

/** What a server answers, before its meaning is known. */
export interface ServerAnswer {
	readonly status: number;
	readonly headers: Pick<Headers, "get">;
	/** Not compressed. The connection is kept for the next request if it is read to its end, and closed otherwise. */
	readonly body: AsyncIterable<Uint8Array>;
}

/** Time for a connection. How long a connected server may stay silent is decided above. */
const CONNECT_MS = 10_000;

/** How a connection ends that the server has closed meanwhile. */
const CLOSED = new Set(["ECONNRESET", "EPIPE"]);

/** Sends a request and returns the answer as soon as it begins. Follows no redirect. Throws Node's own errors. */
export async function transmit({ url, headers, body, signal }: Sending): Promise<ServerAnswer> {
	const send = url.protocol === "https:" ? (await import("node:https")).request : requestPlain;
	const options = {
		method: body === undefined ? "GET" : "POST",
		headers: {
			"accept-encoding": "identity",
			...headers,
			...(body !== undefined && { "content-length": String(countBytes(body)) }),
		},
	};
	for (;;) {
		signal.throwIfAborted();
		const sent = send(url, options);
		try {
			return readHead(await beginAnswer(sent, body, signal));
		} catch (error) {
			signal.throwIfAborted();
			// The server closed a connection that was kept, just when it was needed. Each one is used up by this.
			if (!sent.reusedSocket || !CLOSED.has(codeIn(error))) throw error;
		}
	}
}

function readHead(answer: IncomingMessage): ServerAnswer {
	const { statusCode: status = 0, headers } = answer;
	const get = (name: string): string | null => {
		const value = headers[name.toLowerCase()];
		return value === undefined ? null : [value].flat().join(", ");
	};
	return { status, headers: { get }, body: unpack(answer, get("content-encoding") ?? "") };
}

async function beginAnswer(
	sent: ClientRequest,
	body: readonly Buffer[] = [],
	signal: AbortSignal,
): Promise<IncomingMessage> {
	const answer = Promise.withResolvers<IncomingMessage>();
	// A request that waits for a proxy does not say that it was destroyed. It gets no error, which would be an unheard
	// one if the answer ends at that moment.
	const giveUp = (error: unknown): void => {
		answer.reject(error);
		sent.destroy();
	};
	const stop = (): void => giveUp(signal.reason);
	signal.addEventListener("abort", stop);
	sent.once("close", () => signal.removeEventListener("abort", stop));
	sent.once("response", answer.resolve);
	// Also listens to errors after the answer has begun: who reads the body hears of them there.
	sent.on("error", answer.reject);
	const late = setTimeout(() => giveUp(timedOut()), CONNECT_MS);
	sent.once("socket", (socket) => {
		if (!socket.connecting) clearTimeout(late);
		else socket.once("encrypted" in socket ? "secureConnect" : "connect", () => clearTimeout(late));
	});
	for (const piece of body.slice(0, -1)) sent.write(piece);
	sent.end(body.at(-1));
	try {
		return await answer.promise;
	} finally {
		clearTimeout(late);
	}
}

function countBytes(pieces: readonly Buffer[]): number {
	return pieces.reduce((sum, piece) => sum + piece.length, 0);
}

function timedOut(): Error {
	return Object.assign(new Error("The connection took too long."), { code: "ETIMEDOUT" });
}

/** The code of one of Node's errors. */
export function codeIn(error: unknown): string {
	return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
