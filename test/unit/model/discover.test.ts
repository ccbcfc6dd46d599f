import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { listModels } from "../../../agent-host/model/client.ts";
import { discoverServers } from "../../../agent-host/model/discover.ts";
import { createServerMemory } from "../../../agent-host/model/memory.ts";
import { startFakeModel } from "../../support/fake-model.ts";

const BUSY_MS = 60_000;

test("servers on the known ports that list models are found without a key; others are not, and say so when asked", async (t) => {
	const model = await startFakeModel([]);
	t.after(() => model.stop());
	const other = createServer((_, response) => response.end("<h1>It works!</h1>"));
	const silent = createServer(() => undefined);
	const giant = createServer((_, response) => {
		response.writeHead(200, { "content-type": "application/json" });
		response.end(`{"data":[{"id":"${"x".repeat(5_000_000)}"}]}`);
	});
	const broken = createServer((_, response) => {
		response.writeHead(200, { "content-type": "application/json" });
		response.end('{"data":[');
	});
	const ports = [Number(new URL(model.baseUrl).port), 9];
	for (const server of [other, silent, giant, broken]) {
		server.listen(0, "127.0.0.1");
		await new Promise((resolve) => server.once("listening", resolve));
		t.after(() => {
			server.closeAllConnections();
			server.close();
		});
		ports.push((server.address() as AddressInfo).port);
	}
	const memory = createServerMemory({ servers: {} }, () => undefined, Date.now);
	const servers = ports.map((port, index) => ({ name: `server ${index}`, port }));
	const found = (from: number, to: number, limitMs?: number) =>
		discoverServers({ now: () => 0, memory }, servers.slice(from, to), limitMs);
	// One that says nothing is given up in the usual time; the others have as long as a busy machine needs.
	assert.deepEqual(await found(3, 4), []);
	assert.deepEqual(await found(0, 3, BUSY_MS), [
		{ name: "server 0", baseUrl: model.baseUrl, models: ["fake-1", "fake-2"] },
	]);
	assert.deepEqual(await found(4, 6, BUSY_MS), []);
	assert.deepEqual(
		model.others.map(({ headers }) => headers.authorization),
		[undefined],
	);
	const ask = (port: number) => {
		const baseUrl = `http://127.0.0.1:${port}/v1`;
		const address = { provider: "compatible", auth: "apiKey", wire: "chat", baseUrl } as const;
		return listModels(address, { now: () => 0, servers: memory, secret: async () => undefined });
	};
	const [, , page = 0, , tooLong = 0, cut = 0] = ports;
	assert.deepEqual(await ask(page), []);
	await assert.rejects(ask(tooLong), { code: "bad-stream", message: /too long/ });
	await assert.rejects(ask(cut), { code: "bad-stream", message: /invalid response/ });
});
