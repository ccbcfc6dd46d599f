import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { askLoadedModel, recognizeLocalServer } from "../../../agent-host/model/loaded-model.ts";
import { firstWordMs, isLocalServer } from "../../../agent-host/model/local-server.ts";
import { createServerMemory } from "../../../agent-host/model/memory.ts";
import type { ModelEvent } from "../../../agent-host/model/port.ts";
import { withIdleLimit } from "../../../agent-host/model/watchdog.ts";
import { listModels } from "../../../agent-host/model/wires/connection/list-models.ts";

/** A server that answers each path with what is there for it, and the requests it got. */
async function serve(t: TestContext, answers: (path: string, requests: readonly string[]) => unknown) {
	const requests: string[] = [];
	const server = createServer((request, response) => {
		requests.push(`${request.method} ${request.url} ${request.headers.authorization ?? "-"}`);
		const answer = answers(request.url ?? "", requests);
		response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
		response.end(JSON.stringify(answer ?? {}));
	});
	await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
	t.after(() => server.close());
	return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests };
}

test("Ollama reports the window of a loaded model, and loads it first if necessary; no key is sent", async (t) => {
	const loaded = { models: [{ model: "qwen3:latest", context_length: 4_096 }] };
	const { baseUrl, requests } = await serve(t, (path, before) => {
		if (path === "/api/generate") return {};
		return path === "/api/ps" ? (before.length > 1 ? loaded : { models: [] }) : undefined;
	});
	assert.deepEqual(await askLoadedModel("Ollama", baseUrl, "qwen3"), { served: 4_096 });
	assert.deepEqual(requests, ["GET /api/ps -", "POST /api/generate -", "GET /api/ps -"]);
});

test("LM Studio reports the loaded window, not the possible one, and whether the model reads images", async (t) => {
	const model = { id: "qwen-vl", type: "vlm", max_context_length: 131_072, loaded_context_length: 8_192 };
	const { baseUrl } = await serve(t, (path) =>
		path === "/api/v0/models" ? { data: [model, { id: "b" }] } : undefined,
	);
	assert.deepEqual(await askLoadedModel("LM Studio", baseUrl, "qwen-vl"), { served: 8_192, images: true });
	assert.deepEqual(await askLoadedModel("LM Studio", baseUrl, "b"), {});
});

test("a server that reports nothing, or nonsense, changes no facts", async (t) => {
	const { baseUrl } = await serve(t, (path) => (path === "/api/ps" ? { models: "many" } : undefined));
	for (const kind of ["Ollama", "LM Studio"] as const) assert.deepEqual(await askLoadedModel(kind, baseUrl, "m"), {});
	assert.deepEqual(await askLoadedModel("LM Studio", "http://127.0.0.1:9/v1", "m"), {});
});

test("a list of models gives the window in force, and image support, in every form that servers use", async (t) => {
	const data = [
		{ id: "llama.cpp", meta: { n_ctx: 16_384, n_ctx_train: 131_072 } },
		{ id: "openrouter", context_length: 200_000, top_provider: { context_length: 128_000 } },
		{ id: "sees", architecture: { input_modalities: ["text", "image"] } },
		{ id: "reads", architecture: { input_modalities: ["text"] }, max_model_len: 40_960 },
		{ id: "mistral", capabilities: { vision: true }, max_context_length: 32_768 },
		{ id: "plain", meta: null },
	];
	const memory = createServerMemory({ servers: {} }, () => undefined, Date.now);
	const access = {
		headers: "bearer",
		auth: "apiKey",
		needsKey: false,
		secret: async () => undefined,
		windowSetting: 0,
	} as const;
	// Together AI sends the list alone.
	for (const page of [{ data }, data]) {
		const { baseUrl } = await serve(t, () => page);
		assert.deepEqual(await listModels({ baseUrl, ...access, now: Date.now, memory }), [
			{ id: "llama.cpp", window: 16_384 },
			{ id: "openrouter", window: 128_000 },
			{ id: "sees", images: true },
			{ id: "reads", window: 40_960, images: false },
			{ id: "mistral", window: 32_768, images: true },
			{ id: "plain" },
		]);
	}
});

test("servers of this machine and its network are recognized, and no others", () => {
	const local = [
		"127.0.0.1:1",
		"localhost",
		"10.1.2.3",
		"192.168.0.9",
		"172.20.0.1",
		"[::1]",
		"0.0.0.0",
		"[::]",
		"[fd00::1]",
		"gpu.local",
	];
	const remote = [
		"api.openai.com",
		"172.32.0.1",
		"11.0.0.1",
		"127.example.com.evil.org",
		"localhost.evil.org",
		"[2001::1]",
		"[::2]",
		"0.0.0.1",
	];
	for (const host of local) assert.ok(isLocalServer(`http://${host}/v1`), host);
	for (const host of remote) assert.ok(!isLocalServer(`http://${host}/v1`), host);
	assert.deepEqual(
		["http://127.0.0.1:11434/v1", "http://10.0.0.2:1234/v1", "http://127.0.0.1:8080/v1"].map(recognizeLocalServer),
		["Ollama", "LM Studio", undefined],
	);
});

test("a local server gets fifteen minutes for its first response, unless the user has set a limit", () => {
	const minutes = (baseUrl: string | undefined, idleMs: number) => firstWordMs(baseUrl, idleMs) / 60_000;
	assert.equal(minutes("http://127.0.0.1:8080/v1", 300_000), 15);
	assert.equal(minutes("https://api.openai.com/v1", 300_000), 5);
	assert.equal(minutes("http://127.0.0.1:8080/v1", 30_000), 0.5);
	assert.equal(minutes(undefined, 300_000), 5);
});

test("the longer wait applies only to the first sign of life; after it the usual limit counts", async () => {
	async function* stream(signal: AbortSignal): AsyncGenerator<readonly ModelEvent[]> {
		yield [{ type: "alive" }];
		await new Promise((_, stop) => signal.addEventListener("abort", () => stop(signal.reason)));
	}
	const heard = withIdleLimit(stream, 20, new AbortController().signal, 3_600_000);
	await assert.rejects(heard.next(), { message: /for 0\.02 seconds/ });
});

test("a query in the address, as in classic Azure, is put after the path of each request", async (t) => {
	const { baseUrl, requests } = await serve(t, () => ({ data: [] }));
	const memory = createServerMemory({ servers: {} }, () => undefined, Date.now);
	const access = {
		headers: "bearer",
		auth: "apiKey",
		needsKey: false,
		secret: async () => undefined,
		windowSetting: 0,
	} as const;
	await listModels({ baseUrl: `${baseUrl}?api-version=2026-01-01`, ...access, now: Date.now, memory });
	assert.deepEqual(requests, ["GET /v1/models?api-version=2026-01-01 -"]);
});
