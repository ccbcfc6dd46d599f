import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { discoverServers } from "../../../agent-host/model/discover.ts";
import { createServerMemory } from "../../../agent-host/model/memory.ts";
import { startFakeModel } from "../../support/fake-model.ts";

test("of what listens on the known ports, servers that list models are found, without a key, and the rest is no model server", async (t) => {
	const model = await startFakeModel([]);
	t.after(() => model.stop());
	const other = createServer((_, response) => response.end("<h1>It works!</h1>"));
	const silent = createServer(() => undefined);
	const giant = createServer((_, response) => {
		response.writeHead(200, { "content-type": "application/json" });
		response.end(`{"data":[{"id":"${"x".repeat(5_000_000)}"}]}`);
	});
	const ports = [Number(new URL(model.baseUrl).port), 9];
	for (const server of [other, silent, giant]) {
		server.listen(0, "127.0.0.1");
		await new Promise((resolve) => server.once("listening", resolve));
		t.after(() => {
			server.closeAllConnections();
			server.close();
		});
		ports.push((server.address() as AddressInfo).port);
	}
	const memory = createServerMemory({ servers: {} }, () => undefined);
	const servers = ports.map((port, index) => ({ name: `server ${index}`, port }));
	assert.deepEqual(await discoverServers({ now: () => 0, memory }, servers), [
		{ name: "server 0", baseUrl: model.baseUrl, models: ["fake-1", "fake-2"] },
	]);
	assert.deepEqual(
		model.others.map(({ headers }) => headers.authorization),
		["Bearer none"],
	);
});
