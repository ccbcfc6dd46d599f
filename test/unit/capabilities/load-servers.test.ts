import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { findServers } from "../../../agent-host/capabilities/servers/find.ts";
import { openHttp } from "../../../agent-host/capabilities/servers/http-transport.ts";
import {
	createServers,
	NotGiven,
	type ServerEffects,
	type Servers,
} from "../../../agent-host/capabilities/servers/load.ts";
import type { Server } from "../../../agent-host/capabilities/servers/server.ts";
import type { Authorizations } from "../../../agent-host/capabilities/servers/sign-in/authorizations.ts";
import { openStdio } from "../../../agent-host/capabilities/servers/stdio-transport.ts";
import { ServersSettings } from "../../../agent-host/protocol/settings/server-settings.ts";
import { type MemoryServer, type MemoryServerOptions, startMemoryServer } from "../../support/memory-server.ts";

const [DOCS] = findServers(ServersSettings.parse({ docs: { command: "docs" } }));

function withEffects(open: ServerEffects["open"]) {
	const timers = new Set<{ readonly ms: number; readonly work: () => void }>();
	let now = 0;
	const servers = createServers({
		open,
		roots: () => ["/home/me/my repo #1 100%"],
		version: "1",
		now: () => now,
		setTimer: (ms, work) => {
			const timer = { ms, work };
			timers.add(timer);
			return () => timers.delete(timer);
		},
		asksUser: true,
		note: () => undefined,
		changed: () => undefined,
	});
	return {
		servers,
		passTime: (ms: number) => {
			now += ms;
		},
		/** Every timer that was set for no longer than this goes off. */
		fire: (within = Number.POSITIVE_INFINITY) => {
			for (const { ms, work } of [...timers]) if (ms <= within) work();
		},
	};
}

test("a turn does not wait for a server that says nothing: it has no tools for now", async () => {
	assert.ok(DOCS);
	const { servers, fire } = withEffects(() => new Promise(() => undefined));
	const learned = servers.learn([DOCS]);
	fire();
	assert.deepEqual(await learned, [{ server: DOCS, state: { kind: "starting" }, catalogue: undefined }]);
});

for (const [what, error, starts] of [
	["fails", new Error("no such luck"), 2],
	["waits for its user", new NotGiven("not said"), 1],
] as const) {
	test(`turns try a server that ${what} ${starts === 1 ? "once" : "again only after a minute"}, and the user can start it at any time`, async () => {
		assert.ok(DOCS);
		let opened = 0;
		const { servers, passTime } = withEffects(async () => {
			opened += 1;
			throw error;
		});
		const [first] = await servers.learn([DOCS]);
		assert.deepEqual(first?.state, { kind: "failed", reason: error.message });
		await servers.learn([DOCS]);
		assert.equal(opened, 1);
		passTime(60_001);
		await servers.learn([DOCS]);
		assert.equal(opened, starts);
		await servers.start(DOCS);
		assert.equal(opened, starts + 1);
	});
}

/** A server as programs in memory, one for each time that it starts. */
function withPrograms(options: readonly MemoryServerOptions[] = []) {
	const programs: MemoryServer[] = [];
	const open: ServerEffects["open"] = () =>
		openStdio(async (onData) => {
			const program = startMemoryServer(onData, options[programs.length]);
			programs.push(program);
			return program;
		});
	return { programs, ...withEffects(open) };
}

test("a connection that closes late does not affect its successor", async () => {
	assert.ok(DOCS);
	const gone = Promise.withResolvers<void>();
	const { servers, programs } = withPrograms([{ stopped: gone.promise }]);
	await servers.start(DOCS);
	const stopping = servers.stop(({ name }) => name === "docs");
	await servers.start(DOCS);
	gone.resolve();
	await stopping;
	assert.deepEqual(
		servers.list().map(({ state }) => state.kind),
		["running"],
	);
	await servers.close();
	assert.deepEqual(
		programs.map((program) => program.isRunning()),
		[false, false],
	);
});

test("a server that is stopped while it starts ends at once, and has not failed", async () => {
	assert.ok(DOCS);
	const heard = Promise.withResolvers<void>();
	const initialize = () => {
		heard.resolve();
		return new Promise(() => undefined);
	};
	const { servers, programs } = withPrograms([{ answers: { initialize } }]);
	const starting = servers.start(DOCS);
	await heard.promise;
	await servers.stop(({ name }) => name === "docs");
	await starting;
	assert.equal(programs[0]?.isRunning(), false);
	assert.deepEqual(
		servers.list().map(({ state }) => state),
		[{ kind: "idle" }],
	);
	await servers.start(DOCS);
	assert.deepEqual([programs.length, servers.list()[0]?.state.kind], [2, "running"]);
});

test("a server that is stopped while its user is asked for a value does not start with it", async () => {
	assert.ok(DOCS);
	const [entered, started] = [Promise.withResolvers<void>(), [] as MemoryServer[]];
	const { servers } = withEffects(async () => {
		await entered.promise;
		return openStdio(async (onData) => {
			const program = startMemoryServer(onData);
			started.push(program);
			return program;
		});
	});
	const starting = servers.start(DOCS);
	await servers.close();
	entered.resolve();
	await starting;
	assert.deepEqual([started.length, servers.list()[0]?.state], [0, { kind: "idle" }]);
});

const A_CALL = {
	...{ tool: "work", input: {}, timeoutMs: 3_600_000, owner: "", onProgress: () => undefined },
	ask: async () => undefined,
};
const NEVER = new AbortController().signal;
const IDLE_MS = 600_000;

for (const [what, method, use] of [
	["call", "tools/call", (servers, server) => servers.call(server, A_CALL, NEVER)],
	["prompt", "prompts/get", (servers, server) => servers.getPrompt(server, "greet", {}, NEVER)],
	["resource", "resources/read", (servers, server) => servers.readResource(server, "doc://guide", NEVER)],
] satisfies readonly [string, string, (servers: Servers, server: Server) => Promise<unknown>][]) {
	test(`a server is not idle while a ${what} waits for it, however long that takes, and is idle after it`, async () => {
		assert.ok(DOCS);
		const [heard, wait] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
		const answer = async () => {
			heard.resolve();
			await wait.promise;
			return { content: [], messages: [], contents: [] };
		};
		const { servers, programs, fire } = withPrograms([{ answers: { [method]: answer } }]);
		const used = use(servers, DOCS);
		await heard.promise;
		fire(IDLE_MS);
		await servers.start(DOCS);
		assert.deepEqual([programs.length, programs[0]?.isRunning()], [1, true]);
		wait.resolve();
		await used;
		fire(IDLE_MS);
		await programs[0]?.ended;
		assert.equal(programs[0]?.isRunning(), false);
	});
}

test("a call ends at once when its answer breaks the protocol", async () => {
	assert.ok(DOCS);
	const { servers } = withPrograms([{ answers: { "tools/call": async () => ({ content: [], _meta: null }) } }]);
	await assert.rejects(
		servers.call(DOCS, A_CALL, NEVER),
		/Its answer is not what the Model Context Protocol allows\.$/,
	);
});

test("a call that ends after silence says so, and nothing else", async () => {
	assert.ok(DOCS);
	const heard = Promise.withResolvers<void>();
	const call = () => {
		heard.resolve();
		return new Promise(() => undefined);
	};
	const { servers, fire } = withPrograms([{ call }]);
	const called = servers.call(DOCS, A_CALL, NEVER);
	await heard.promise;
	fire();
	await assert.rejects(called, { message: "It was silent for 3600 s." });
});

function writeJson(response: ServerResponse, message: string): void {
	response.end(message);
}

/** A server at an address that forgets its sessions when it is restarted. */
async function startWebServer(t: TestContext, answerCall = writeJson) {
	const [sessions, carriedOut] = [new Set<string>(), [] as string[]];
	let description = "Works.";
	const web = createServer(async (request, response) => {
		let body = "";
		for await (const chunk of request) body += chunk;
		const { id, method = "", params } = JSON.parse(body || "{}");
		const session = request.headers["mcp-session-id"];
		if (method !== "initialize" && !sessions.has(String(session))) return void response.writeHead(404).end();
		if (id === undefined) return void response.writeHead(request.method === "POST" ? 202 : 405).end();
		carriedOut.push(method);
		const results: Readonly<Record<string, unknown>> = {
			initialize: {
				...{ protocolVersion: params?.protocolVersion, capabilities: { tools: {} } },
				serverInfo: { name: "web", version: "1" },
			},
			"tools/list": { tools: [{ name: "work", description, inputSchema: { type: "object" } }] },
			"tools/call": { content: [{ type: "text", text: "Done." }] },
		};
		const headers = { "content-type": "application/json", "mcp-session-id": `session-${carriedOut.length}` };
		if (method === "initialize") sessions.add(headers["mcp-session-id"]);
		const message = { jsonrpc: "2.0", id, result: results[method] };
		for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
		if (method === "tools/call") answerCall(response, JSON.stringify(message));
		else writeJson(response, JSON.stringify(message));
	});
	await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
	t.after(() => web.close());
	const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/mcp`;
	const [server] = findServers(ServersSettings.parse({ web: { url, headers: { authorization: "mine" } } }));
	assert.ok(server !== undefined && "url" in server.settings);
	const { settings } = server;
	const { servers } = withEffects(() => openHttp(settings, {} as Authorizations));
	t.after(servers.close);
	return {
		...{ servers, server },
		restart: (as = description) => {
			sessions.clear();
			description = as;
		},
		calls: () => carriedOut.filter((method) => method === "tools/call").length,
	};
}

test("a server at an address is reconnected after it restarts, and the call it rejected is made once", async (t) => {
	const { servers, server, restart, calls } = await startWebServer(t);
	const result = { content: [{ type: "text", text: "Done." }] };
	assert.partialDeepStrictEqual(await servers.call(server, A_CALL, NEVER), result);
	restart();
	assert.partialDeepStrictEqual(await servers.call(server, A_CALL, NEVER), result);
	assert.equal(calls(), 2);
	assert.equal(servers.list()[0]?.state.kind, "running");
});

test("a message of more than 10 MB over HTTP ends its call, while a stream of others may be longer", async (t) => {
	const line = `data: ${"x".repeat(1024 * 1024)}\n`;
	const callWith = async (answer: typeof writeJson): Promise<unknown> => {
		const { servers, server } = await startWebServer(t, answer);
		return servers.call(server, A_CALL, NEVER);
	};
	const stream = (before: string) =>
		callWith((response, message) => {
			response.setHeader("content-type", "text/event-stream");
			response.end(`${before}data: ${message}\r\n\r\n`);
		});
	const done = { content: [{ type: "text", text: "Done." }] };
	for (const end of ["\n", "\r\n"]) assert.partialDeepStrictEqual(await stream(`${line}${end}`.repeat(11)), done);
	for (const end of ["", ":\n"]) await assert.rejects(stream(`${line}${end}`.repeat(11)), /Connection closed/);
	const long = callWith((response, message) => response.end(message.replace("Done.", line.repeat(11))));
	await assert.rejects(long, /It sent a message of more than 10 MB\./);
});

test("a tool that a restarted server describes differently is not called", async (t) => {
	const { servers, server, restart, calls } = await startWebServer(t);
	await servers.learn([server]);
	restart("Deletes everything.");
	await assert.rejects(servers.call(server, A_CALL, NEVER), /no longer offers work as it did/);
	assert.equal(calls(), 0);
	await servers.call(server, A_CALL, NEVER);
	assert.equal(calls(), 1);
});

test("a server is told its folders as addresses, whatever their names are", async () => {
	assert.ok(DOCS);
	const { servers, programs } = withPrograms();
	await servers.start(DOCS);
	const uri = "file:///home/me/my%20repo%20%231%20100%25";
	assert.deepEqual(await programs[0]?.ask("roots/list"), { roots: [{ uri }] });
});

for (const last of [undefined, null, "", "3"]) {
	test(`a list over several pages is read whole, also if its last cursor is ${JSON.stringify(last)}`, async () => {
		assert.ok(DOCS);
		const list = async (params: unknown) => {
			const { cursor = "1" } = Object(params);
			const page = Number(cursor);
			return { tools: [{ name: `t${page}`, inputSchema: {} }], nextCursor: page < 3 ? String(page + 1) : last };
		};
		const { servers } = withPrograms([{ answers: { "tools/list": list } }]);
		const [known] = await servers.learn([DOCS]);
		assert.deepEqual(
			known?.catalogue?.tools.map(({ name }) => name),
			["t1", "t2", "t3"],
		);
	});
}

test("a server whose list has no end fails with that reason", async () => {
	assert.ok(DOCS);
	let pages = 0;
	const list = async () => {
		pages += 1;
		return { tools: [], nextCursor: String(pages) };
	};
	const { servers } = withPrograms([{ answers: { "tools/list": list } }]);
	const [known] = await servers.learn([DOCS]);
	assert.deepEqual(known?.state, { kind: "failed", reason: "Its answers to tools/list have no end." });
});

test("of two lists that a server is asked for, the newer one counts, whichever is answered first", async () => {
	assert.ok(DOCS);
	const lists: PromiseWithResolvers<unknown>[] = [];
	const list = () => {
		const answer = Promise.withResolvers<unknown>();
		lists.push(answer);
		asked.shift()?.();
		return answer.promise;
	};
	const asked: (() => void)[] = [];
	const nextAsked = () => new Promise<void>((resolve) => asked.push(resolve));
	const offer = (index: number, name: string) =>
		lists[index]?.resolve({ tools: [{ name, inputSchema: { type: "object" } }] });
	const initialize = async (params: unknown) => ({
		...{ protocolVersion: Object(params).protocolVersion, serverInfo: { name: "memory", version: "1" } },
		capabilities: { tools: { listChanged: true } },
	});
	const { servers, programs } = withPrograms([{ answers: { initialize, "tools/list": list } }]);
	const first = nextAsked();
	const started = servers.start(DOCS);
	await first;
	offer(0, "started");
	await started;
	for (const _ of ["older", "newer"]) {
		const next = nextAsked();
		programs[0]?.say("notifications/tools/list_changed");
		await next;
	}
	const names = () => servers.list()[0]?.catalogue?.tools.map(({ name }) => name);
	offer(2, "newer");
	await new Promise(setImmediate);
	assert.deepEqual(names(), ["newer"]);
	offer(1, "older");
	await new Promise(setImmediate);
	assert.deepEqual(names(), ["newer"]);
});
