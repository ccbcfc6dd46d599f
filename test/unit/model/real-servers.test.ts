import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import { test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { withIdleLimit } from "../../../agent-host/model/watchdog.ts";
import { streamChat } from "../../../agent-host/model/wires/chat/chat.ts";
import { detectWire } from "../../../agent-host/model/wires/connection/detect-wire.ts";
import { listModels } from "../../../agent-host/model/wires/connection/list-models.ts";
import type { ServerAccess } from "../../../agent-host/model/wires/connection/send-request.ts";
import { streamResponse } from "../../../agent-host/model/wires/responses/responses.ts";
import { ANSWER, accessTo, ask, KEY, REQUEST } from "../../support/ask-model-server.ts";
import { eachEvent } from "../../support/read-stream.ts";

const WIRES = { chat: streamChat, responses: streamResponse } as const;

interface Behaviour {
	readonly what: string;
	readonly answer: (response: ServerResponse) => void;
	/** The text of the answer, or the code of the failure and whether to try again. */
	readonly comes: string;
	readonly says?: RegExp;
	readonly wire?: keyof typeof WIRES;
}

const refuse = (status: number, body: string, headers: Readonly<Record<string, string>> = {}) => {
	return (response: ServerResponse): void => void response.writeHead(status, headers).end(body);
};
/** Says how much is to come, sends less, and hangs up. */
const cut = (status: number, body: string | Buffer, headers: Readonly<Record<string, string>> = {}) => {
	return (response: ServerResponse): void => {
		response.writeHead(status, { ...headers, "content-length": "100000" });
		response.write(body, () => response.destroy());
	};
};

const PAGE = "<!doctype html>\n<html><head><title>Open WebUI</title></head><body></body></html>";

/** Behaviours of whole servers: here the real client meets them over a real connection. */
const BEHAVIOURS: readonly Behaviour[] = [
	{ what: "a packed stream", answer: packed(gzipSync(ANSWER), "gzip"), comes: "Hi." },
	{ what: "a stream packed in another way", answer: packed(brotliCompressSync(ANSWER), "br"), comes: "Hi." },
	{
		what: "a packed stream without the end mark of its packing",
		answer: packed(gzipSync(ANSWER).subarray(0, -8), "gzip"),
		comes: "Hi.",
	},
	{
		what: "a packed stream that is cut",
		answer: cut(200, gzipSync(ANSWER).subarray(0, 30), { "content-encoding": "gzip" }),
		comes: "network, again",
	},
	{
		what: "a stream that is not packed but claims to be",
		answer: refuse(200, ANSWER, { "content-encoding": "gzip" }),
		comes: "network, again",
	},
	{
		what: "a stream that is cut",
		answer: cut(200, ANSWER.slice(0, 30)),
		comes: "network, again",
		says: /^The connection to http:\/\/127\.0\.0\.1:\d+ was lost\.$/,
	},
	{ what: "a refused key, cut in its reason", answer: cut(401, '{"error":{"mess'), comes: "auth" },
	{
		what: "a refused key without a word",
		answer: refuse(401, ""),
		comes: "auth",
		says: /rejected the API key \(401\)/,
	},
	{
		what: "an error page",
		answer: refuse(502, "<html><head><title>502 Bad Gateway</title></head></html>"),
		comes: "server, again",
		says: /failed \(502\): 502 Bad Gateway$/,
	},
	{ what: "an unknown status", answer: refuse(999, "Denied."), comes: "server, again", says: /Denied/ },
	{
		what: "a redirect",
		answer: refuse(308, "", { location: "http://127.0.0.1:1/stolen" }),
		comes: "network",
		says: /redirects requests \(308\)/,
	},
	{
		what: "a rate limit of an hour",
		answer: refuse(429, "Slow down.", { "retry-after": "3600" }),
		comes: "rate-limit, again",
		says: /^Rate limited by .*; retry in 60 minutes: Slow down\.$/,
	},
	{
		what: "an overflow in the stream",
		answer: refuse(200, 'data: {"error":"the model is loaded with context length of only 4096 tokens"}\n\n'),
		comes: "context-too-long",
	},
	{ what: "a success without content", answer: refuse(204, ""), comes: "bad-stream, again" },
	{ what: "a header of 100 kB", answer: refuse(200, ANSWER, { "x-h": "x".repeat(100_000) }), comes: "network, again" },
	{
		what: "a key that the cut of a long reason falls into",
		answer: refuse(400, JSON.stringify({ error: { message: `${"x".repeat(290)}${KEY}` } })),
		comes: "bad-request",
		says: /xxx\[key\]$/,
	},
	{
		what: "a key in the middle of a stream",
		answer: refuse(200, `data: ${JSON.stringify({ error: { message: `Your key ${KEY} failed.` } })}\n\n`),
		comes: "server, again",
		says: /Your key \[key\] failed\.$/,
	},
	{
		what: "a path that it does not have, with the status of a success",
		answer: wholly('{"error":"Unexpected endpoint or method. (POST /v1/chat/completions)"}'),
		comes: "model-not-found",
		says: /has no \/v1\/chat\/completions \(404: Unexpected endpoint/,
	},
	{
		what: "the page of a web app, with the status of a success",
		answer: refuse(200, PAGE, { "content-type": "text/html; charset=utf-8" }),
		comes: "model-not-found",
		says: /has no \/v1\/chat\/completions \(404: Open WebUI\)/,
	},
	{
		what: "a stream that is called a page",
		answer: refuse(200, ANSWER, { "content-type": "text/html" }),
		comes: "Hi.",
	},
	{
		what: "a short answer that does not stream",
		answer: wholly('{"choices":[{"message":{"content":"Hi."}}]}'),
		comes: "Hi.",
	},
	{
		what: "a server that does not stream",
		wire: "responses",
		answer: refuse(200, '{"object":"response","output":[{"type":"message","content":[{"text":"Hi."}]}]}'),
		comes: "Hi.",
	},
];

test("every behaviour of a server is recognized, and the key goes nowhere else", async (t) => {
	let answer: Behaviour["answer"] = () => undefined;
	const keys: (string | undefined)[] = [];
	const server = createServer((request, response) => {
		keys.push(request.headers.authorization);
		answer(response);
	});
	const access = await accessTo(t, server);
	for (const behaviour of BEHAVIOURS) {
		await t.test(`${behaviour.what}: ${behaviour.comes}`, async () => {
			answer = behaviour.answer;
			const { comes, says } = await ask(access, WIRES[behaviour.wire ?? "chat"]);
			assert.equal(comes, behaviour.comes, says);
			assert.match(says, behaviour.says ?? /^/);
			assert.doesNotMatch(says, /canary-0/);
		});
	}
	const learned = access.memory.model(new URL(access.baseUrl).origin, REQUEST.model);
	assert.deepEqual(learned, { learned: { window: 4_096, setting: 0 } });
	assert.deepEqual(new Set(keys), new Set([`Bearer ${KEY}`]));
	assert.equal(keys.length, BEHAVIOURS.length, "one request each: whoever tries again is above this");
});

test("a server that sends signs of life is waited for beyond the limit of silence", async (t) => {
	const server = createServer((_, response) => {
		response.writeHead(200, { "content-type": "text/event-stream" });
		let signs = 0;
		const timer = setInterval(() => {
			signs += 1;
			if (signs < 7) response.write([": processing\n\n", "data:\n\n", 'data: {"type":"ping"}\n\n'][signs % 3]);
			else response.end(ANSWER);
		}, 150);
		response.on("close", () => clearInterval(timer));
	});
	const access = await accessTo(t, server);
	const stream = (signal: AbortSignal) => streamChat(access, REQUEST, signal);
	const heard: string[] = [];
	for await (const event of eachEvent(withIdleLimit(stream, 800, AbortSignal.timeout(10_000)))) heard.push(event.type);
	assert.deepEqual(heard, ["delta", "item", "completed"]);
});

test("a web app has no list of models, and no API, although it answers everything with its page", async (t) => {
	const server = createServer((_, response) => refuse(200, PAGE, { "content-type": "text/html" })(response));
	const access = await accessTo(t, server);
	const message = /has no list of models \(404: Open WebUI\)\. Check that vitrine\.model\.baseUrl is complete/;
	await assert.rejects(listModels(access), { message });
	await assert.rejects(detectWire(access), { message });
});

test("a list of models that does not end is given up, and its names are plain and short", async (t) => {
	let isEndless = false;
	let sent = 0;
	const server = createServer((_, response) => {
		response.writeHead(200, { "content-type": "application/json" });
		const data = ["good", "two\nlines", "\u202Eback", "x".repeat(300), ""].map((id) => ({ id }));
		if (!isEndless) return void response.end(JSON.stringify({ object: "list", data }));
		response.write('{"object":"list","data":[{"id":"good"}');
		const pour = (): void => {
			sent += 65_536;
			if (!response.destroyed) response.write(`,{"id":"${"y".repeat(65_536)}"}`, () => setImmediate(pour));
		};
		pour();
	});
	const access = await accessTo(t, server);
	assert.deepEqual(await listModels(access), [{ id: "good" }]);
	isEndless = true;
	await assert.rejects(listModels(access), /response is too long/);
	assert.ok(sent < 40_000_000, `${sent} bytes were taken`);
});

/** All that the library would take from the environment, and more than one program has set. */
const ENVIRONMENT = {
	OPENAI_CUSTOM_HEADERS: "X-Canary: canary-header\nAuthorization: Bearer canary-header\nUser-Agent: canary-header",
	...Object.fromEntries(
		["OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_WEBHOOK_SECRET"].map(
			(name) => [name, "canary-variable"],
		),
	),
	OPENAI_BASE_URL: "http://127.0.0.1:9/canary",
};

test("a server gets the headers that it needs and no others, whatever the environment says", async (t) => {
	const seen: Readonly<Record<string, unknown>>[] = [];
	const server = createServer((request, response) => {
		seen.push(Object.fromEntries(Object.entries(request.headers).filter(([name]) => !OF_NODE.has(name))));
		refuse(400, "{}")(response);
	});
	const access = await accessTo(t, server);
	const before = Object.keys(ENVIRONMENT).map((name) => [name, process.env[name]] as const);
	t.after(() => {
		for (const [name, value] of before) {
			if (value === undefined) delete process.env[name];
			else process.env[name] = value;
		}
	});
	Object.assign(process.env, ENVIRONMENT);
	const everyWay = async (asked: ServerAccess): Promise<void> => {
		for (const stream of Object.values(WIRES)) await ask(asked, stream);
		await assert.rejects(listModels(asked));
	};
	await everyWay(access);
	await everyWay({ ...access, needsKey: false, secret: async () => undefined });
	const [keyed, open] = [{ ...SENT, authorization: `Bearer ${KEY}` }, SENT];
	assert.deepEqual(seen, [keyed, keyed, keyed, open, open, open]);
});

const SENT = {
	accept: "application/json",
	"content-type": "application/json",
	"user-agent": "Vitrine",
	"accept-encoding": "identity",
};
/** What Node adds to any request. */
const OF_NODE = new Set("host connection content-length".split(" "));

/** A success whose length is known. */
function wholly(body: string): Behaviour["answer"] {
	return refuse(200, body, { "content-length": String(Buffer.byteLength(body)) });
}

function packed(body: Buffer, encoding: string): Behaviour["answer"] {
	return (response) => {
		response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": encoding });
		// In two pieces: the seam is not where a block of the packing ends.
		response.write(body.subarray(0, 20), () => response.end(body.subarray(20)));
	};
}
