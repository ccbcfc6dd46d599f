import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import https, { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { type TestContext, test } from "node:test";
import { createBrotliCompress, createDeflate, createGzip, createZstdCompress, constants as zlib } from "node:zlib";
import { APIConnectionError } from "openai/core/error";
import { streamChat } from "../../../agent-host/model/wires/chat/chat.ts";
import { listModels } from "../../../agent-host/model/wires/connection/list-models.ts";
import { streamGemini } from "../../../agent-host/model/wires/gemini/gemini.ts";
import { failureFromError } from "../../../agent-host/model/wires/refusals/failure.ts";
import { aCertificate } from "../../support/a-certificate.ts";
import { ANSWER, accessTo, ask, REQUEST } from "../../support/ask-model-server.ts";
import { eachEvent } from "../../support/read-stream.ts";

/** A server that answers, and the connections that were made to it. */
async function aServer(t: TestContext, answer: (response: ServerResponse, number: number) => void) {
	const paths: string[] = [];
	const sockets = new Set<Socket>();
	const server = createServer((request, response) => {
		paths.push(request.url ?? "");
		answer(response, paths.length);
	});
	server.on("connection", (socket) => sockets.add(socket));
	return { access: await accessTo(t, server), sockets, paths };
}

const piece = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;

/** How each is compressed, and how it hands over what it has. */
const PACKERS = {
	gzip: [createGzip, zlib.Z_SYNC_FLUSH],
	deflate: [createDeflate, zlib.Z_SYNC_FLUSH],
	br: [createBrotliCompress, zlib.BROTLI_OPERATION_FLUSH],
	zstd: [createZstdCompress, zlib.ZSTD_e_flush],
} as const;

for (const [coding, [createPacker, flush]] of Object.entries(PACKERS)) {
	test(`each event of an answer in ${coding} is received before the next one is sent`, async (t) => {
		const packer = createPacker();
		const words = ["One", " two"];
		const sendNext = (): void => {
			const word = words.shift();
			if (word === undefined) return void packer.end(ANSWER);
			packer.write(piece(word));
			packer.flush(flush);
		};
		const { access } = await aServer(t, (response) => {
			response.writeHead(200, { "content-encoding": coding });
			packer.pipe(response);
			sendNext();
		});
		const texts: string[] = [];
		for await (const event of eachEvent(streamChat(access, REQUEST, AbortSignal.timeout(10_000)))) {
			if (event.type !== "delta") continue;
			texts.push(event.text);
			if (!packer.writableEnded) sendNext();
		}
		assert.equal(texts.join(""), "One twoHi.");
	});
}

test("two turns share one connection", async (t) => {
	const { access, sockets, paths } = await aServer(t, (response) => response.end(ANSWER));
	assert.equal((await ask(access)).comes, "Hi.");
	// A connection is free once the end after the last event has been read.
	await new Promise(setImmediate);
	assert.equal((await ask(access)).comes, "Hi.");
	assert.deepEqual([paths.length, sockets.size], [2, 1]);
});

test("an answer that is left in the middle closes its connection", async (t) => {
	const { access, sockets } = await aServer(t, (response) => response.write(piece("On and on.")));
	for await (const _ of streamChat(access, REQUEST, AbortSignal.timeout(10_000))) break;
	const [socket] = sockets;
	assert.ok(socket);
	if (!socket.destroyed) await once(socket, "close");
});

test("a request on a kept connection that the server has just closed is repeated silently", async (t) => {
	const { access, sockets, paths } = await aServer(t, (response, number) => {
		if (number === 2) response.socket?.resetAndDestroy();
		else response.end(ANSWER);
	});
	assert.equal((await ask(access)).comes, "Hi.");
	// A connection is free once the end after the last event has been read.
	await new Promise(setImmediate);
	assert.equal((await ask(access)).comes, "Hi.");
	assert.deepEqual([paths.length, sockets.size], [3, 2]);
});

test("a server that resets a new connection is asked only once: the caller decides about retries", async (t) => {
	const { access, paths } = await aServer(t, (response) => response.socket?.resetAndDestroy());
	const { comes, says } = await ask(access);
	assert.equal(comes, "network, again");
	assert.match(says, /cannot be reached \(ECONNRESET\)/);
	assert.equal(paths.length, 1);
});

test("the query of an address and that of a path are both sent", async (t) => {
	const { access, paths } = await aServer(t, (response) => response.writeHead(400).end());
	const classic = { ...access, baseUrl: `${access.baseUrl}/?api-version=2026-01-01&name=a%20b` };
	await ask(classic);
	await ask(classic, streamGemini);
	assert.deepEqual(paths, [
		"/v1/chat/completions?api-version=2026-01-01&name=a%20b",
		"/v1/models/m:streamGenerateContent?alt=sse&api-version=2026-01-01&name=a%20b",
	]);
});

test("a server of this machine is reached by each of its names", async (t) => {
	const hasV6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"));
	const names: readonly (readonly [address: string, name: string])[] = [
		["127.0.0.1", "127.0.0.1"],
		["127.0.0.1", "localhost"],
		...(hasV6 ? ([["::1", "[::1]"]] as const) : []),
	];
	const access = await accessTo(t, createServer());
	for (const [address, name] of names) {
		const server = createServer((_, response) => response.end(ANSWER));
		const port = await listen(t, server, address);
		const { comes, says } = await ask({ ...access, baseUrl: `http://${name}:${port}/v1` });
		assert.equal(comes, "Hi.", `${name}: ${says}`);
	}
});

test("a server with a self-signed certificate gets no request, and the failure says why", async (t) => {
	const { cert, key } = aCertificate("localhost", undefined);
	let requests = 0;
	const server = createTlsServer({ cert, key: key.export({ type: "pkcs8", format: "pem" }) }, () => {
		requests += 1;
	});
	const port = await listen(t, server, "127.0.0.1");
	const access = await accessTo(t, createServer());
	const { comes, says } = await ask({ ...access, baseUrl: `https://localhost:${port}/v1` });
	assert.equal(comes, "network");
	assert.match(says, /^The certificate of https:\/\/localhost:\d+ is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/);
	assert.equal(requests, 0);
});

test("https for a local server that only has http is named as the cause; nobody is told to leave it out elsewhere", async (t) => {
	const access = await accessTo(t, createServer());
	const baseUrl = access.baseUrl.replace("http:", "https:");
	assert.deepEqual(await ask({ ...access, baseUrl }), {
		comes: "network",
		says: `${new URL(baseUrl).origin} does not use TLS. Set vitrine.model.baseUrl to a URL that starts with http://.`,
	});
	const cause = Object.assign(new Error("write EPROTO 0:error:0A00010B:SSL routines::wrong version number"), {
		code: "EPROTO",
	});
	const place = { origin: "https://models.example", model: "m", sent: "key" } as const;
	const { message, retryable } = failureFromError(new APIConnectionError({ cause }), place, 0);
	assert.deepEqual([/cannot be reached \(EPROTO\)/.test(message), retryable], [true, true]);
});

test("a connection that is never made is given up after ten seconds", async (t) => {
	const met = Promise.withResolvers<void>();
	const silent = createTcpServer(() => met.resolve());
	const port = await listen(t, silent, "127.0.0.1");
	const access = await accessTo(t, createServer());
	t.mock.timers.enable({ apis: ["setTimeout"] });
	const asked = ask({ ...access, baseUrl: `https://127.0.0.1:${port}/v1` });
	await met.promise;
	t.mock.timers.tick(10_000);
	assert.deepEqual(await asked, {
		comes: "network, again",
		says: `https://127.0.0.1:${port} did not answer in time.`,
	});
});

test("a key that no header can hold is not sent, and the user is told to enter it again", async (t) => {
	const { access, paths } = await aServer(t, (response) => response.end(ANSWER));
	for (const value of ["sk-“quoted”", "sk-two\nlines"]) {
		const { comes, says } = await ask({ ...access, secret: async () => ({ value }) });
		assert.equal(comes, "auth");
		assert.match(says, /contains characters that cannot be sent\. Enter it again/);
	}
	assert.deepEqual(paths, []);
});

test("stopping before an answer begins takes effect at once and closes the connection", async (t) => {
	const come = Promise.withResolvers<ServerResponse>();
	const { access } = await aServer(t, (response) => come.resolve(response));
	const stop = new AbortController();
	const stream = eachEvent(streamChat(access, REQUEST, stop.signal));
	const ended = assert.rejects(stream.next(), { message: "enough" });
	const response = await come.promise;
	stop.abort(new Error("enough"));
	await ended;
	if (!response.destroyed) await once(response, "close");
});

test("a proxy that never answers is given up after ten seconds, or as soon as the user stops", async (t) => {
	const proxy = createServer();
	let met = Promise.withResolvers<void>();
	proxy.on("connect", () => met.resolve());
	const access = await accessThrough(t, proxy);
	const stop = new AbortController();
	const stopped = assert.rejects(eachEvent(streamChat(access, REQUEST, stop.signal)).next(), { message: "enough" });
	await met.promise;
	stop.abort(new Error("enough"));
	await stopped;
	met = Promise.withResolvers();
	t.mock.timers.enable({ apis: ["setTimeout"] });
	const asked = ask(access);
	await met.promise;
	t.mock.timers.tick(10_000);
	assert.deepEqual(await asked, { comes: "network, again", says: "https://model.invalid did not answer in time." });
});

test("a proxy that requires a password is distinguished from one that cannot connect", async (t) => {
	const proxy = createServer();
	let answer = "407 Proxy Authentication Required";
	proxy.on("connect", (_, socket) => socket.end(`HTTP/1.1 ${answer}\r\n\r\n`));
	const access = await accessThrough(t, proxy);
	assert.deepEqual(await ask(access), {
		comes: "network",
		says: "The proxy requires a user name and password to connect to https://model.invalid. Add them to the proxy's URL in http.proxy or HTTPS_PROXY.",
	});
	answer = "502 Bad Gateway";
	assert.deepEqual(await ask(access), {
		comes: "network, again",
		says: "The proxy did not connect to https://model.invalid (502). Check the proxy, and whether it allows this server.",
	});
	const plain = await aServer(t, (response) => response.writeHead(407).end());
	assert.match((await ask(plain.access)).says, /^The proxy requires a user name and password/);
});

test("an HTML page lists no models, and a truncated list is a lost connection", async (t) => {
	const { access } = await aServer(t, (response, number) => {
		if (number === 1) response.end("<h1>It works!</h1>");
		else response.writeHead(200, { "content-length": "1000" }).write('{"data":[', () => response.destroy());
	});
	assert.deepEqual(await listModels(access), []);
	await assert.rejects(listModels(access), { code: "network", message: /was lost/ });
});

/** A server that only this proxy could reach. */
async function accessThrough(t: TestContext, proxy: Server): Promise<Awaited<ReturnType<typeof accessTo>>> {
	const direct = https.globalAgent;
	t.after(() => {
		https.globalAgent = direct;
	});
	const port = await listen(t, proxy, "127.0.0.1");
	// The types do not know this option yet.
	const options: object = { proxyEnv: { HTTPS_PROXY: `http://127.0.0.1:${port}` } };
	https.globalAgent = new https.Agent(options);
	return { ...(await accessTo(t, createServer())), baseUrl: "https://model.invalid/v1" };
}

async function listen(
	t: TestContext,
	server: Server | ReturnType<typeof createTlsServer> | ReturnType<typeof createTcpServer>,
	address: string,
): Promise<number> {
	const sockets = new Set<Socket>();
	server.on("connection", (socket: Socket) => sockets.add(socket));
	server.listen(0, address);
	await once(server, "listening");
	t.after(() => {
		for (const socket of sockets) socket.destroy();
		server.close();
	});
	return (server.address() as AddressInfo).port;
}
