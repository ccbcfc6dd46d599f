import assert from "node:assert/strict";
import { test } from "node:test";
import { RefusedAddress } from "../../../agent-host/network/fetch-checked.ts";
import { createOwnFetch } from "../../../agent-host/network/fetch-own.ts";
import { listen } from "../../support/sign-in-service.ts";

test("only one origin is contacted, no redirect is followed, and an answer is limited in size and time", async (t) => {
	const { server, origin } = await listen((request, response) => {
		if (request.url === "/ok") response.end("ok");
		else if (request.url === "/away") response.writeHead(302, { location: "/ok" }).end();
		else if (request.url === "/much") response.end("x".repeat(300 * 1_024));
		else if (request.url === "/drip") response.write("x");
	});
	t.after(() => {
		server.closeAllConnections();
		server.close();
	});
	const fetchOwn = createOwnFetch(origin);
	assert.equal(await (await fetchOwn(`${origin}/ok`)).text(), "ok");
	for (const other of [origin.replace("127.0.0.1", "localhost"), "https://example.org/ok"]) {
		await assert.rejects(fetchOwn(other), RefusedAddress);
	}
	await assert.rejects(fetchOwn(`${origin}/away`), /it redirects/);
	await assert.rejects(fetchOwn(`${origin}/much`), /more than is needed/);
	for (const slow of ["never", "drip"])
		await assert.rejects(createOwnFetch(origin, 200)(`${origin}/${slow}`), /timeout|aborted/i);
});
