import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeSettings, type PartialSettings } from "../../../agent-host/protocol/settings/settings.ts";
import { listModelServers } from "../../../agent-host/session/model-servers.ts";

test("the servers of settings are the model's and those of the providers, wherever they are named", () => {
	const list = (settings: PartialSettings) => listModelServers(mergeSettings(settings));
	assert.deepEqual(list({}), []);
	assert.deepEqual(list({ model: { provider: "openai", id: "gpt-5" } }), ["https://api.openai.com"]);
	const providers = { home: { baseUrl: "http://127.0.0.1:1234/v1", models: {} } };
	const there = { provider: "compatible", baseUrl: "https://a.example/v1", id: "m" } as const;
	assert.deepEqual(list({ model: there, providers }), ["https://a.example", "http://127.0.0.1:1234"]);
	assert.deepEqual(list({ model: { provider: "openai", id: "home/m" }, providers }), ["http://127.0.0.1:1234"]);
});
