import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { secretFor } from "../../../agent-host/model/wires/connection/secret.ts";

test("a request for a key ends with its turn, and leaves no listener on the turn's signal", async () => {
	const turn = new AbortController();
	const signal = AbortSignal.any([turn.signal, new AbortController().signal]);
	const key = { value: "a-key" };
	const access = { auth: "apiKey", needsKey: true } as const;
	assert.equal(await secretFor({ ...access, secret: async () => key }, signal), key);
	await assert.rejects(secretFor({ ...access, secret: async () => undefined }, signal));
	assert.deepEqual(getEventListeners(signal, "abort"), []);
	const unanswered = secretFor({ ...access, secret: () => new Promise(() => undefined) }, signal);
	turn.abort(new Error("Stopped."));
	await assert.rejects(unanswered, /Stopped/);
});
