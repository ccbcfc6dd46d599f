import assert from "node:assert/strict";
import { test } from "node:test";
import { ProvidersSettings } from "../../../../agent-host/protocol/settings/provider-settings.ts";
import { ModelSettings } from "../../../../agent-host/protocol/settings/settings.ts";
import { listProviders } from "../../../../extension/commands/model/model-groups.ts";

const PROVIDERS = ProvidersSettings.parse({
	anthropic: {},
	ollama: {},
	work: { baseUrl: "https://models.example.org/v1" },
});

test("every provider is one group, and the thread's own comes first", () => {
	const configured = ModelSettings.parse({ provider: "compatible", baseUrl: "https://openrouter.ai/api/v1", id: "x" });
	const thread = { provider: "anthropic", wire: "messages", auth: "apiKey", baseUrl: "" } as const;
	const labels = (of: typeof thread | ModelSettings) =>
		listProviders(of, configured, PROVIDERS).map(({ label }) => label);
	assert.deepEqual(labels(thread), ["Anthropic", "Ollama", "work", "OpenRouter"]);
	assert.deepEqual(labels(configured), ["OpenRouter", "Anthropic", "Ollama", "work"]);
});

test("a window in the settings belongs to the provider of the settings", () => {
	const configured = ModelSettings.parse({ provider: "openai", id: "x", contextWindow: 9_000 });
	const windows = listProviders(configured, configured, PROVIDERS).map(({ contextWindow }) => contextWindow);
	assert.deepEqual(windows, [9_000, 0, 0, 0]);
});
