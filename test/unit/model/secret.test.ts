import assert from "node:assert/strict";
import { test } from "node:test";
import { secretFor } from "../../../agent-host/model/wires/connection/secret.ts";

const SILENT = { auth: "apiKey", needsKey: true, secret: () => new Promise<never>(() => undefined) } as const;

test("a client that never names the key holds up no request that is stopped, before the question or after it", async () => {
	await assert.rejects(secretFor(SILENT, AbortSignal.abort(new Error("Stopped before."))), /Stopped before/);
	const stop = new AbortController();
	const asked = secretFor(SILENT, stop.signal);
	stop.abort(new Error("Stopped after."));
	await assert.rejects(asked, /Stopped after/);
});
