import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findAbilities, guessWindow, isReasoner, writesFreeForm } from "../../../agent-host/model/abilities.ts";
import { resolveModel } from "../../../agent-host/model/resolve-model.ts";
import { findFacts, findListedPrice } from "../../../agent-host/model-facts/find-facts.ts";
import { FACTS_AS_OF } from "../../../agent-host/model-facts/table.ts";
import { ProvidersSettings } from "../../../agent-host/protocol/settings/provider-settings.ts";
import { ModelSettings } from "../../../agent-host/protocol/settings/settings.ts";
import { factsModule } from "../../../docs/model-facts.ts";

const OPENAI = "https://api.openai.com/v1";

test("the embedded table is small and equals the committed snapshot, with its date", () => {
	const file = join(import.meta.dirname, "../../../agent-host/model-facts/table.ts");
	const text = readFileSync(file, "utf8");
	assert.equal(text, factsModule());
	assert.match(FACTS_AS_OF, /^2026-\d\d-\d\d$/);
	assert.ok(text.length < 32_000, `${text.length} characters`);
});

test("a model is found by its id, then without its date, then by the longest known prefix", () => {
	const window = (id: string, baseUrl?: string) => findFacts(id, baseUrl)?.window;
	assert.deepEqual(
		{
			exact: window("gpt-5.4"),
			dated: window("gpt-5.4-2026-03-05"),
			compact: window("claude-opus-4-5-20251101"),
			longest: window("gpt-5.4-mini-preview"),
			"by a gateway": window("openai/gpt-5.4", "https://gateway.example/v1"),
			"another version": window("gpt-5.9"),
			"another name": window("gpt-5.4x"),
			unknown: window("unheard-of"),
			hostile: window("__proto__"),
		},
		{
			exact: 1_050_000,
			dated: 1_050_000,
			compact: 200_000,
			longest: 400_000,
			"by a gateway": 1_050_000,
			"another version": undefined,
			"another name": undefined,
			unknown: undefined,
			hostile: undefined,
		},
	);
});

test("a price is what the server at that address lists for exactly that model, never one of a similar name", () => {
	assert.deepEqual(findListedPrice("gpt-5.2", OPENAI), { input: 1.75, output: 14, cached: 0.175 });
	assert.deepEqual(findListedPrice("gpt-5.2-2025-12-11", OPENAI), findListedPrice("gpt-5.2", OPENAI));
	const sonnet = findListedPrice("claude-sonnet-4-5", "https://api.anthropic.com");
	assert.deepEqual(sonnet, { input: 3, output: 15, cached: 0.3, cacheWrite: 3.75 });
	for (const [id, baseUrl] of [
		["gpt-5.2-preview", OPENAI],
		["gpt-5.2", "https://gateway.example/v1"],
		["gpt-5.2", undefined],
		["claude-sonnet-4-5", OPENAI],
	] as const)
		assert.equal(findListedPrice(id, baseUrl), undefined, `${id} at ${baseUrl}`);
});

test("OpenAI's current models reason, write patches as text and see images, and have the efforts of their version", () => {
	const efforts = (id: string) => findAbilities({ provider: "openai", id }, OPENAI, {}).efforts.join(" ");
	for (const id of ["gpt-6-astra", "gpt-6.1-sol", "gpt-6.1-terra", "gpt-6-sol", "gpt-6-luna", "gpt-5.6-sol"]) {
		assert.deepEqual([isReasoner(id), writesFreeForm(id), guessWindow(id)], [true, true, 400_000], id);
		assert.equal(findAbilities({ provider: "openai", id }, OPENAI, {}).abilities.images, true, id);
		assert.equal(efforts(id), "none low medium high xhigh max", id);
	}
	assert.deepEqual(["gpt-5", "gpt-5.1", "gpt-5.2", "gpt-5.2-codex", "o3", "gpt-4.1"].map(efforts), [
		"minimal low medium high",
		"none low medium high",
		"none low medium high xhigh",
		"low medium high xhigh",
		"low medium high",
		"",
	]);
	assert.deepEqual([isReasoner("gpt-4o"), isReasoner("gpt-50"), writesFreeForm("gpt-4.1")], [false, true, false]);
});

test("for images and window, the server's statement overrides the table, and the table a guess", () => {
	const resolve = (id: string, known: object) => {
		const settings = ModelSettings.parse({ provider: "compatible", baseUrl: "http://127.0.0.1:1234/v1", id });
		const found = resolveModel(settings, { model: () => known });
		return "window" in found && "abilities" in found ? [found.window, found.abilities.images] : found;
	};
	assert.deepEqual(resolve("gpt-4o", {}), [128_000, true]);
	assert.deepEqual(resolve("gpt-4o", { served: 8_192, images: false }), [8_192, false]);
	assert.deepEqual(resolve("my-llava", { images: true }), [32_000, true]);
	assert.deepEqual(resolve("gemini-3-flash-preview", {}), [1_048_576, true]);
	assert.deepEqual(resolve("my-model", {}), [32_000, false]);
});

test("the user decides whether a model reads images, whatever its server and the table say", () => {
	const baseUrl = "http://127.0.0.1:1234/v1";
	const models = { "my-model": { images: true }, "gpt-4o": { images: false }, silent: { window: 50_000 } };
	const providers = ProvidersSettings.parse({ work: { baseUrl, models } });
	const sees = (id: string, known: object = {}) => {
		const found = resolveModel(
			ModelSettings.parse({ provider: "compatible", baseUrl, id }),
			{ model: () => known },
			providers,
		);
		return "abilities" in found && found.abilities.images;
	};
	assert.deepEqual(
		[sees("my-model"), sees("my-model", { images: false }), sees("gpt-4o"), sees("gpt-4o", { images: true })],
		[true, true, false, false],
	);
	assert.deepEqual([sees("silent"), sees("silent", { images: true })], [false, true]);
});

test("a model missing from the table reads images if its family does", () => {
	const sees = (id: string) =>
		findAbilities({ provider: "compatible", id }, "http://127.0.0.1:8080/v1", {}).abilities.images;
	for (const id of [
		"gemini-9-pro",
		"google/gemini-9-pro",
		"claude-novel-9",
		"qwen9-vl",
		"llava:7b",
		"my-vision-model",
	]) {
		assert.equal(sees(id), true, id);
	}
	for (const id of ["private-1", "television", "novl", "visionary-text"]) assert.equal(sees(id), false, id);
});
