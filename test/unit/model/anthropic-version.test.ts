import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { ServerMemory } from "../../../agent-host/model/memory.ts";
import { openClient } from "../../../agent-host/model/wires/connection/open-client.ts";

/** The headers of a request to a server with the Messages API, which goes nowhere. */
async function headersTo(t: TestContext, baseUrl: string): Promise<Readonly<Record<string, string>>> {
	const sent: Record<string, string>[] = [];
	t.mock.method(globalThis, "fetch", async (_: unknown, init?: RequestInit) => {
		sent.push(Object(init?.headers));
		return Response.json({});
	});
	const access = {
		...({ auth: "apiKey", headers: "anthropic", baseUrl, needsKey: true, windowSetting: 0 } as const),
		secret: async () => ({ value: "a-key" }),
		now: () => 0,
		// Nothing is remembered before an answer is read.
		memory: {} as ServerMemory,
	};
	await openClient(access, { value: "a-key" }).get("/v1/models");
	return sent[0] ?? assert.fail("nothing was sent");
}

test("Anthropic gets its newest version and the key in its own header only", async (t) => {
	const headers = await headersTo(t, "https://api.anthropic.com");
	assert.deepEqual(
		[headers["anthropic-version"], headers["x-api-key"], headers.authorization],
		["2026-10-21", "a-key", undefined],
	);
});

test("another server with the same API gets the version that all of them know", async (t) => {
	for (const baseUrl of [
		"http://127.0.0.1:8080",
		"https://api.deepseek.com/anthropic",
		"https://anthropic.com.evil.org",
	]) {
		const headers = await headersTo(t, baseUrl);
		assert.deepEqual([headers["anthropic-version"], headers.authorization], ["2023-06-01", "Bearer a-key"]);
		t.mock.restoreAll();
	}
});
