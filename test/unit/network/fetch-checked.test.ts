import assert from "node:assert/strict";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { judgeEndpoint } from "../../../agent-host/capabilities/servers/sign-in/judge-endpoint.ts";
import { createCheckedFetch, RefusedAddress } from "../../../agent-host/network/fetch-checked.ts";
import type { NetworkPorts } from "../../../agent-host/network/network-ports.ts";

const PUBLIC = "https://mcp.example.org/mcp";

for (const [named, server, expected] of [
	["https://login.example.net/token", PUBLIC, "public"],
	["https://mcp.example.org/token", PUBLIC, "own"],
	["https://93.184.215.14/token", PUBLIC, "public"],
	["http://login.example.net/token", PUBLIC, "not an https:// address"],
	["http://mcp.example.org/token", PUBLIC, "not an https:// address"],
	["http://127.0.0.1:9/token", PUBLIC, "not an https:// address"],
	["https://127.0.0.1/token", PUBLIC, "a private address"],
	["https://localhost/token", PUBLIC, "a private address"],
	["https://169.254.169.254/latest", PUBLIC, "a private address"],
	["https://[fd00::1]/token", PUBLIC, "a private address"],
	["https://me:secret@login.example.net/", PUBLIC, "not a usable address"],
	["file:///etc/passwd", PUBLIC, "not a usable address"],
	["http://127.0.0.1:9/token", "http://localhost:8/mcp", "own"],
	["http://login.example.net/", "http://localhost:8/mcp", "not an https:// address"],
	["https://10.0.0.7/token", "http://localhost:8/mcp", "a private address"],
] as const) {
	test(`for a sign-in to ${server}, ${named} is ${expected}`, () => {
		const judged = judgeEndpoint(new URL(named), new URL(server));
		assert.equal(judged.kind === "refused" ? judged.reason : judged.kind, expected);
	});
}

test("a public name that leads to a private address is not dialled", async () => {
	const dialled: string[] = [];
	const ports: NetworkPorts = {
		nearby: () => [],
		lookup: async () => ["93.184.215.14", "10.0.0.7"],
		dial: async (address) => {
			dialled.push(address);
			throw new Error("must not happen");
		},
	};
	const fetch = createCheckedFetch((url) => judgeEndpoint(url, new URL(PUBLIC)), ports);
	await assert.rejects(fetch("https://login.example.net/token", { method: "POST", body: "code=x" }), RefusedAddress);
	assert.deepEqual(dialled, []);
});

test("an endless answer is cut off, and a body arrives as it was sent", async (t) => {
	let got = "";
	const server = createServer(async (request, response) => {
		for await (const part of request) got += part;
		if (request.url === "/big") response.end("x".repeat(300_000));
		else response.writeHead(200, { "content-type": "application/json" }).end('{"ok":true}');
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	t.after(() => void server.close());
	const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const ports: NetworkPorts = {
		nearby: () => [],
		lookup: async () => [],
		dial: async (host, port) => connect({ host, port }),
	};
	const fetch = createCheckedFetch((url) => judgeEndpoint(url, new URL(origin)), ports);
	const body = new URLSearchParams({ code: "a b", state: "ä" });
	assert.deepEqual(await (await fetch(`${origin}/`, { method: "POST", body })).json(), { ok: true });
	assert.equal(got, "code=a+b&state=%C3%A4");
	await assert.rejects(fetch(`${origin}/big`), /more than is needed/);
});
