import assert from "node:assert/strict";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { type AskHost, parseRules, type UnlistedHost } from "../../../agent-host/network/host-rules.ts";
import type { NetworkPorts } from "../../../agent-host/network/network-ports.ts";
import {
	type CommandProxy,
	createProxy,
	MAX_CONNECTIONS,
	type ProxyLimits,
} from "../../../agent-host/network/proxy.ts";

/** Stands for every server of the open network: says what it was asked, and by which address it was reached. */
const world = createHttpServer((request, response) => {
	const chunks: Buffer[] = [];
	request.on("data", (chunk: Buffer) => chunks.push(chunk));
	request.on("end", () => {
		const { method, url, headers } = request;
		if (url === "/elsewhere") response.writeHead(302, { Location: "http://10.0.0.1/" });
		response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }));
	});
});
const echo = createServer((socket) => socket.on("error", () => undefined).pipe(socket));
const dialled: string[] = [];
const NAMES: Readonly<Record<string, readonly string[]>> = {
	"a.example": ["93.184.216.34"],
	"mixed.example": ["93.184.216.34", "10.0.0.1"],
	"metadata.example": ["169.254.169.254"],
};
let resolved = 0;
const ports: NetworkPorts = {
	lookup: async (name) => {
		resolved += 1;
		const found = NAMES[name];
		if (found === undefined) throw new Error("ENOTFOUND");
		// The second answer would be another one: it must not be asked for.
		return resolved > 1 && name === "a.example" ? ["127.0.0.1"] : found;
	},
	dial: async (address, port) => {
		dialled.push(`${address}:${port}`);
		return connect(portOf(port === 80 ? world : echo), "127.0.0.1");
	},
	nearby: () => [],
};

before(async () => {
	for (const server of [world, echo]) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
after(() => {
	world.closeAllConnections();
	world.close();
	echo.close();
});

test("a request for an allowed host is sent to the checked address, which is looked up once", () =>
	withProxy(["a.example"], async ({ ask, proxy }) => {
		const answer = await ask(
			"POST http://a.example/x HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc",
		);
		assert.match(answer, /^HTTP\/1\.1 200 /);
		assert.match(answer, /"method":"POST","url":"\/x".*"host":"a\.example".*"body":"abc"/);
		assert.deepEqual([dialled, resolved], [["93.184.216.34:80"], 1]);
		assert.deepEqual(proxy.refusedHosts(), []);
	}));

test("a redirect is passed on for the client to follow itself", () =>
	withProxy(["a.example"], async ({ ask }) => {
		assert.match(
			await ask("GET http://a.example/elsewhere HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n"),
			/302[\s\S]*Location: http:\/\/10\.0\.0\.1\//,
		);
		assert.equal(dialled.length, 1);
	}));

test("a second request on the same connection is judged on its own", () =>
	withProxy(["a.example"], async ({ ask }) => {
		const one = "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n";
		await ask(`${one}\r\n${one.replaceAll("a.example", "b.example")}Connection: close\r\n\r\n`);
		assert.deepEqual(dialled, ["93.184.216.34:80"]);
	}));

test("a refused request gets one sentence, dials no host, and is recorded once", () =>
	withProxy(["mixed.example", "metadata.example", "gone.example", "10.9.9.9:80"], async ({ ask, proxy }) => {
		for (const host of [
			"b.example:443",
			"b.example:443",
			"mixed.example:443",
			"metadata.example:80",
			"gone.example:443",
		]) {
			assert.match(
				await ask(`CONNECT ${host} HTTP/1.1\r\n\r\n`),
				/^HTTP\/1\.1 403 Forbidden\r\n[\s\S]*was blocked: [^\n]+\.\n$/,
				host,
			);
		}
		assert.deepEqual(dialled, []);
		assert.deepEqual(
			proxy.refusedHosts().map(({ host, reason }) => `${host}: ${reason}`),
			[
				"b.example:443: not an allowed site",
				"mixed.example:443: its address 10.0.0.1 is private, and no rule lists it explicitly",
				"metadata.example:80: its address 169.254.169.254 is private, and no rule lists it explicitly",
				"gone.example:443: its name has no address",
			],
		);
	}));

test("a tunnel carries TLS for its own host only; anything else is cut off before a byte of it is sent", () =>
	withProxy(["a.example", "a.example:7777"], async ({ open, proxy }) => {
		const plain = await open("CONNECT a.example:443 HTTP/1.1\r\n\r\n");
		plain.write("GET / HTTP/1.1\r\n\r\n");
		assert.equal(await text(plain), "");
		assert.deepEqual(proxy.refusedHosts(), [{ host: "a.example:443", reason: "the data is not TLS" }]);
	}));

test("a tunnel to a port that the rule names passes bytes both ways", () =>
	withProxy(["a.example:7777"], async ({ open }) => {
		const tunnel = await open("CONNECT a.example:7777 HTTP/1.1\r\n\r\n");
		tunnel.write("anything\n");
		const [answer] = await once(tunnel, "data");
		assert.equal(String(answer), "anything\n");
		tunnel.destroy();
	}));

test("an invalid request is answered as such, however it is cut", () =>
	withProxy(["a.example"], async ({ ask }) => {
		for (const bytes of [
			"\x16\x03\x01\x02",
			"GET / HTTP/1.1\r\n\r\n",
			"CONNECT a.example HTTP/1.1\r\n\r\n",
			"A B\r\n\r\n",
		]) {
			assert.match(await ask(bytes), /^HTTP\/1\.1 400 /, JSON.stringify(bytes));
		}
		assert.match(await ask(`GET http://a.example/ HTTP/1.1\r\nX: ${"x".repeat(20_000)}\r\n\r\n`), /^HTTP\/1\.1 4/);
		assert.deepEqual(dialled, []);
	}));

test("a client that never finishes its head is disconnected", { timeout: 10_000 }, () =>
	withProxy(["a.example"], async ({ ask }) => assert.equal(await ask("CONNECT a.exam"), ""), {
		headMs: 20,
		idleMs: 600_000,
	}),
);

test("a silent connection is closed", { timeout: 10_000 }, () =>
	withProxy(
		["a.example:7777"],
		async ({ open }) => {
			const tunnel = await open("CONNECT a.example:7777 HTTP/1.1\r\n\r\n");
			assert.equal(await text(tunnel), "");
		},
		{ headMs: 600_000, idleMs: 40 },
	),
);

test("a command cannot open connections beyond its limit, and none is left after it ends", () =>
	withProxy(["a.example"], async ({ connectTo, proxy }) => {
		const first = await Promise.all(Array.from({ length: MAX_CONNECTIONS }, connectTo));
		const tooMany = await connectTo();
		assert.equal(await text(tooMany), "");
		assert.ok(first.every((socket) => !socket.destroyed));
		const ends = Promise.all(first.map((socket) => once(socket, "close")));
		for (const socket of first) socket.resume();
		proxy.close();
		await ends;
	}));

test("a host outside the rules waits for approval, and its name is not looked up before", async () => {
	const asked: UnlistedHost[] = [];
	const lookedUp: number[] = [];
	const askHost: AskHost = async (host) => {
		asked.push(host);
		lookedUp.push(resolved);
		return { kind: "allow" };
	};
	await withProxy(
		["b.example"],
		async ({ ask, proxy }) => {
			assert.match(
				await ask("GET http://a.example/x HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n"),
				/^HTTP\/1\.1 200 [\s\S]*"url":"\/x"/,
			);
			assert.deepEqual([asked, lookedUp], [[{ host: "a.example", port: 80, rule: "a.example" }], [0]]);
			assert.deepEqual([dialled, proxy.refusedHosts()], [["93.184.216.34:80"], []]);
		},
		undefined,
		askHost,
	);
});

test("an approval covers a name: if it leads to a private network, it stays refused", () =>
	withProxy(
		[],
		async ({ ask, proxy }) => {
			for (const name of ["mixed.example", "metadata.example"]) {
				assert.match(await ask(`CONNECT ${name}:443 HTTP/1.1\r\nHost: ${name}:443\r\n\r\n`), /^HTTP\/1\.1 403 /);
			}
			assert.deepEqual(dialled, []);
			assert.match(JSON.stringify(proxy.refusedHosts()), /10\.0\.0\.1 is private.*169\.254\.169\.254 is private/);
		},
		undefined,
		async () => ({ kind: "allow" }),
	));

test("a tunnel to an approved host carries TLS for that host, as one to a listed host does", () =>
	withProxy(
		[],
		async ({ open, proxy }) => {
			const socket = await open("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n");
			socket.write("SSH-2.0-none\r\n");
			await once(socket, "close");
			assert.deepEqual(proxy.refusedHosts(), [{ host: "a.example:443", reason: "the data is not TLS" }]);
		},
		undefined,
		async () => ({ kind: "allow" }),
	));

test("text that two programs could read differently is no host, so the user is not asked about it", () => {
	const asked: UnlistedHost[] = [];
	const odd = [
		"sh op.example",
		"a.example%00.b.example",
		"a@b.example",
		"a\\b.example",
		"0177.1",
		"2130706433",
		`${"a".repeat(64)}.example`,
		`${"a.".repeat(130)}example`,
	];
	return withProxy(
		[],
		async ({ ask }) => {
			for (const host of odd) {
				const answer = await ask(`CONNECT ${host}:443 HTTP/1.1\r\nHost: ${host}:443\r\n\r\n`);
				assert.match(answer, /^HTTP\/1\.1 400 /, host);
			}
			assert.deepEqual(asked, []);
		},
		undefined,
		async (host) => {
			asked.push(host);
			return { kind: "allow" };
		},
	);
});

test("a host that a rule closes is refused without an approval", () =>
	withProxy(
		["!a.example"],
		async ({ ask }) => {
			const answer = await ask("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n");
			assert.match(answer, /403[\s\S]*blocked by the rule !a\.example/);
		},
		undefined,
		() => assert.fail("nobody is asked"),
	));

interface Rig {
	readonly proxy: CommandProxy;
	readonly connectTo: () => Promise<Socket>;
	/** Sends bytes and gives all that comes back. */
	readonly ask: (bytes: string) => Promise<string>;
	/** Sends bytes and gives the connection once it is open. */
	readonly open: (bytes: string) => Promise<Socket>;
}

async function withProxy(
	lines: readonly string[],
	use: (rig: Rig) => Promise<void>,
	limits?: ProxyLimits,
	askHost?: AskHost,
): Promise<void> {
	const rules = parseRules(lines);
	if ("unreadable" in rules) throw new Error(rules.unreadable);
	dialled.length = 0;
	resolved = 0;
	const proxy = createProxy(rules, ports, limits, askHost);
	const door = createServer(proxy.accept);
	await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
	const connectTo = async () => {
		const socket = connect(portOf(door), "127.0.0.1");
		socket.on("error", () => undefined);
		await once(socket, "connect");
		return socket;
	};
	const send = async (bytes: string) => {
		const socket = await connectTo();
		socket.write(bytes, "latin1");
		return socket;
	};
	const open = async (bytes: string) => {
		const socket = await send(bytes);
		const [head] = await once(socket, "data");
		assert.match(String(head), /^HTTP\/1\.1 200 /);
		return socket;
	};
	try {
		await use({ proxy, connectTo, open, ask: async (bytes) => text(await send(bytes)).catch(() => "") });
	} finally {
		proxy.close();
		door.close();
	}
}

function once(socket: Socket, event: string): Promise<readonly unknown[]> {
	return new Promise((resolve) => socket.once(event, (...values) => resolve(values)));
}

function portOf(server: Server): number {
	return (server.address() as AddressInfo).port;
}
