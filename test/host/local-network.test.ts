import assert from "node:assert/strict";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { proxyEnvironment } from "../../extension/facts/proxy.ts";
import { says } from "../support/fake-model-steps.ts";
import { aThread, runTurn } from "../support/host-process.ts";
import { withHost } from "./rig/with-host.ts";

test("a host started with the editor's proxy asks its model through it, and a server of this machine directly", async (t) => {
	const asked: string[] = [];
	let target = 0;
	const proxy = createServer();
	proxy.on("connect", ({ url }, socket) => {
		asked.push(String(url));
		const up = connect(target, "127.0.0.1", () => {
			socket.write("HTTP/1.1 200 OK\r\n\r\n");
			socket.pipe(up).pipe(socket);
		});
		for (const end of [up, socket]) end.on("error", () => socket.destroy());
	});
	proxy.listen(0, "127.0.0.1");
	await new Promise((resolve) => proxy.once("listening", resolve));
	t.after(() => proxy.close());
	const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
	const editor = { support: "override", proxy: address, noProxy: [], strictSsl: true, systemCertificates: false };
	const env = Object.fromEntries(
		Object.entries(proxyEnvironment(editor, {})).filter((entry): entry is [string, string] => entry[1] !== undefined),
	);
	await withHost(t, { script: () => says("Here."), env }, async ({ host, another, model }) => {
		target = Number(new URL(model.baseUrl).port);
		assert.equal((await runTurn(host, await aThread(host), "near")).text, "Here.");
		assert.deepEqual(asked, []);
		const settings = { model: { provider: "compatible", baseUrl: "http://model.invalid/v1", id: "fake-1" } } as const;
		const far = await another({ settings });
		assert.equal((await runTurn(far, await aThread(far), "far")).text, "Here.");
		assert.deepEqual(asked, ["model.invalid:80"]);
		assert.equal(model.requests[1]?.headers.host, "model.invalid");
	});
});
