import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { turnInterrupt, turnStart } from "../../../agent-host/protocol/thread/turn.ts";
import { createFrameReader, frame } from "../../host/rig/wire.ts";
import { startFakeModel } from "../../support/fake-model.ts";
import { floods, holds, says } from "../../support/fake-model-steps.ts";
import { aThread, endOfTurn, RpcError, runTurn, startHost } from "../../support/host-process.ts";

const program = join(import.meta.dirname, "../../bench/null-host.ts");

for (const transport of ["stdio", "ipc"] as const) {
	test(`a turn runs through the rig over ${transport}`, async (t) => {
		const model = await startFakeModel([says("hello"), floods(2_000)]);
		t.after(() => model.stop());
		const settings = { model: { baseUrl: model.baseUrl } };
		const host = await startHost({ home: "", settings, transport, program });
		t.after(() => host.killHard());
		const threadId = await aThread(host);

		const { end, text } = await runTurn(host, threadId, "hi");
		assert.deepEqual([end.status, text], ["completed", "hello"]);
		assert.equal((await runTurn(host, threadId, "more")).text.length, 10_000);
		assert.deepEqual(await host.close(), { code: 0, signal: null });
		assert.equal(host.received.stray(), "");
	});
}

test("the rig sees an interrupted turn and a client that leaves the model", async (t) => {
	const step = holds("a", "b");
	const model = await startFakeModel([step]);
	t.after(() => model.stop());
	const host = await startHost({ home: "", settings: { model: { baseUrl: model.baseUrl } }, program });
	t.after(() => host.killHard());
	const threadId = await aThread(host);
	const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text: "x" }] });
	await step.reached;
	await host.waitFor(threadId, (event) => event.type === "itemDelta");
	await host.request(turnInterrupt, { threadId });
	assert.equal((await endOfTurn(host, threadId, turnId)).end.status, "interrupted");
	const request = await model.requestNumber(1);
	await request.closed;
	assert.equal(request.closedByClient, true);
});

test("requests of a host that dies are rejected with its last words", async () => {
	const script = `process.stdin.once("data", () => { console.error("out of ideas"); process.exit(3); })`;
	const host = startHost({ home: "", program, env: { NODE_OPTIONS: dataImport(script) } });
	await assert.rejects(host, /out of ideas/);
});

test("an error reply is an RpcError with code and data", () => {
	const error = new RpcError(1001, "No such thread.", { kind: "thread-not-found" });
	assert.deepEqual({ ...error }, { name: "RpcError", code: 1001, data: { kind: "thread-not-found" } });
});

test("frames are found at every split, and other output is kept apart", () => {
	const bytes = Buffer.from(`${frame('{"a":"é"}')}console noise\r\n\r\n${frame("{}")}more noise`);
	for (let split = 0; split <= bytes.length; split += 1) {
		const bodies: string[] = [];
		const reader = createFrameReader((body) => bodies.push(body));
		reader.push(bytes.subarray(0, split));
		reader.push(bytes.subarray(split));
		assert.deepEqual([bodies, reader.stray()], [['{"a":"é"}', "{}"], "console noise\r\n\r\nmore noise"]);
	}
});

function dataImport(script: string): string {
	return `--import=data:text/javascript,${encodeURIComponent(script)}`;
}
