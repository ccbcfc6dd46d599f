import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { type Duplex, pipeline, Transform } from "node:stream";
import { forwardable, type ReadHead } from "./request-head.ts";

/**
 * Connects a client and a server after the client's first bytes were checked; until then the server gets none of them.
 */
export function carryTunnel(
	client: Duplex,
	upstream: Duplex,
	judge: (bytes: Buffer) => "wait" | "pass" | "deny",
): Promise<void> {
	client.write("HTTP/1.1 200 Connection established\r\n\r\n");
	return new Promise((resolve) => {
		pipeline(client, createGate(judge), upstream, client, () => {
			upstream.destroy();
			client.destroy();
			resolve();
		});
	});
}

/** Forwards one request and its answer. A redirect is an answer like any other. */
export function carryRequest(
	{ path, headers }: Extract<ReadHead, { kind: "forward" }>,
	from: IncomingMessage,
	to: ServerResponse,
	upstream: Duplex,
): void {
	if (to.destroyed) return void upstream.destroy();
	// Never use an agent, not even `false`: it would open its own, unchecked connection.
	const asked = request({
		method: from.method ?? "GET",
		path,
		headers: [...headers],
		createConnection: () => upstream,
	});
	to.once("close", () => asked.destroy());
	asked.on("error", () => {
		if (to.headersSent) to.destroy();
		else answerText(to, 502, "The server closed the connection.\n");
	});
	asked.on("response", (response) => {
		try {
			to.writeHead(response.statusCode ?? 0, [...forwardable(response.rawHeaders)]);
			pipeline(response, to, () => undefined);
		} catch {
			// A server may send something that Node reads but refuses to write, such as status 0.
			to.destroy();
		}
	});
	from.pipe(asked);
}

export function answerText(to: ServerResponse, status: number, text: string, headers: Headers = {}): void {
	to.writeHead(status, { ...headers, "Content-Type": "text/plain; charset=utf-8", Connection: "close" }).end(text);
}

/** Answers a client whose tunnel was not established. */
export function answerSocket(
	client: Duplex,
	status: keyof typeof STATUS_WORDS,
	text: string,
	headers: Headers = {},
): void {
	const further = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
	const head = [`HTTP/1.1 ${status} ${STATUS_WORDS[status]}`, ...further, "Content-Type: text/plain; charset=utf-8"];
	const rest = [`Content-Length: ${Buffer.byteLength(text)}`, "Connection: close", "", text];
	client.end([...head, ...rest].join("\r\n"));
}

type Headers = Readonly<Record<string, string>>;

const STATUS_WORDS = {
	400: "Bad Request",
	403: "Forbidden",
	407: "Proxy Authentication Required",
	502: "Bad Gateway",
} as const;

/** Holds bytes back until they have been checked, and closes the connection if they are refused. */
function createGate(judge: (bytes: Buffer) => "wait" | "pass" | "deny"): Transform {
	let held: Buffer | undefined = Buffer.alloc(0);
	return new Transform({
		transform(chunk: Buffer, _, done) {
			if (held === undefined) return done(null, chunk);
			held = Buffer.concat([held, chunk]);
			switch (judge(held)) {
				case "wait":
					return done();
				case "deny":
					return done(new Error("The connection was blocked."));
				case "pass": {
					const passed = held;
					held = undefined;
					return done(null, passed);
				}
			}
		},
	});
}
