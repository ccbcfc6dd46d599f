import assert from "node:assert/strict";
import { test } from "node:test";
import { findProvider, locateProvider, placeModel } from "../../../agent-host/protocol/settings/model-place.ts";
import { KEY_PLACE, ProvidersSettings } from "../../../agent-host/protocol/settings/provider-settings.ts";

const PROVIDERS = ProvidersSettings.parse({
	anthropic: {},
	openrouter: {},
	work: { wire: "chat", baseUrl: "https://models.example.org/v1" },
});

test("a name before the first slash is a provider only if one is configured under it", () => {
	const place = (id: string) => {
		const { provider, wire, baseUrl, id: left } = placeModel({ provider: "compatible", id }, PROVIDERS);
		return [provider, wire, baseUrl, left];
	};
	assert.deepEqual(place("anthropic/claude-opus-5"), ["anthropic", "messages", "", "claude-opus-5"]);
	assert.deepEqual(place("openrouter/anthropic/claude-opus-5"), [
		"compatible",
		"chat",
		"https://openrouter.ai/api/v1",
		"anthropic/claude-opus-5",
	]);
	assert.deepEqual(place("work/llama"), ["compatible", "chat", "https://models.example.org/v1", "llama"]);
	assert.deepEqual(place("google/gemini-3-pro"), ["compatible", undefined, undefined, "google/gemini-3-pro"]);
	assert.deepEqual(place("toString/x"), ["compatible", undefined, undefined, "toString/x"]);
	assert.deepEqual(place("llama"), ["compatible", undefined, undefined, "llama"]);
});

test("settings without a provider's name stay as they are", () => {
	const model = { provider: "openai", id: "gpt-5.1", contextWindow: 9_000 } as const;
	assert.equal(placeModel(model, PROVIDERS), model);
	assert.equal(placeModel({ ...model, id: "work/x" }, PROVIDERS).contextWindow, 0, "the window is another model's");
});

test("a provider is recognized by its address", () => {
	for (const [name, settings] of Object.entries(PROVIDERS)) {
		assert.equal(findProvider(locateProvider(name, settings), PROVIDERS)?.name, name);
	}
	const other = { provider: "compatible", wire: "chat", auth: "apiKey", baseUrl: "https://example.com/v1" } as const;
	assert.equal(findProvider(other, PROVIDERS), undefined);
});

test("an invalid provider is refused with the reason", () => {
	const refusal = (name: string, provider: object) => {
		const { error } = ProvidersSettings.safeParse({ [name]: provider });
		return error?.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join();
	};
	const baseUrl = "https://models.example.org/v1";
	assert.equal(refusal("work", {}), "work needs a baseUrl");
	assert.match(refusal("work", { baseUrl: "file:///etc/passwd" }) ?? "", /must be an http:\/\/ or https:\/\/ address/);
	assert.match(
		refusal("work", { baseUrl: "https://me:abc@models.example.org/v1" }) ?? "",
		/work\.baseUrl must not contain a user name or password/,
	);
	assert.match(refusal("a/b", { baseUrl }) ?? "", /must be made of letters/);
	assert.match(
		refusal("work", { baseUrl, headers: { "api-key": "abc" } }) ?? "",
		/work\.headers\.api-key looks like a secret/,
	);
	assert.match(refusal("work", { baseUrl, headers: { Host: "elsewhere" } }) ?? "", /is set by Vitrine/);
	assert.match(refusal("work", { baseUrl, headers: { "x-team": "a\nb" } }) ?? "", /one line of plain text/);
	assert.match(refusal("work", { baseUrl, apiKey: "abc" }) ?? "", /Unrecognized key/);
	assert.equal(refusal("work", { baseUrl, headers: { "api-key": KEY_PLACE, "x-team": "seven" } }), undefined);
});
