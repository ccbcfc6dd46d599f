// One thread over five kinds of model servers, each set up in the editor, with a picture of each. Only with `npm test --
// editor --full`; with VITRINE_PICTURES set, the pictures in docs/pictures are taken again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { shownPictureFile } from "../support/editor-paths.ts";
import { createEditorSession } from "../support/editor-session.ts";
import { until } from "../support/editor-until.ts";
import { startFakeModel } from "../support/fake-model.ts";
import { says, withUsage } from "../support/fake-model-steps.ts";
import { createPrefixCache } from "../support/prefix-cache.ts";
import { copySample } from "../support/sample.ts";

/** The ports on which servers are looked for, by the names they are then shown under: a program may have one of them. */
const KNOWN_PORTS = { 11434: "Ollama", 1234: "LM Studio", 8080: "llama.cpp", 8000: "vLLM" } as const;

/** Servers as their makers document them: the API, the entry of a model in their list, and the header for the key. */
const SERVERS = [
	{
		kind: "openai",
		only: "responses",
		models: [{ id: "gpt-like-1", max_model_len: 400_000 }],
		header: "authorization",
	},
	{
		kind: "openrouter",
		only: "chat",
		models: [
			{
				id: "maker/omni-1",
				context_length: 262_144,
				top_provider: { context_length: 200_000, max_completion_tokens: 8_192 },
				pricing: { prompt: "0.000001", completion: "0.000002" },
			},
		],
		header: "authorization",
	},
	{ kind: "ollama", only: "chat", models: [{ id: "small-1:8b" }], header: undefined },
	{
		kind: "anthropic",
		only: "messages",
		models: [{ id: "claude-like-1", type: "model", max_input_tokens: 200_000, max_tokens: 32_000 }],
		header: "x-api-key",
	},
	{
		kind: "gemini",
		only: "gemini",
		models: [{ id: "gemini-like-1", inputTokenLimit: 1_048_576, outputTokenLimit: 65_536 }],
		header: "x-goog-api-key",
	},
] as const;

const session = createEditorSession();

test(
	"one thread continues across five kinds of servers; each switch is stated once, and the cache meter names it",
	session.alone(async (desk) => {
		desk.editor.writeUserSettings({ "security.workspace.trust.enabled": false, "vitrine.chat.showCacheMeter": true });
		const window = await desk.open({ folder: copySample(desk.editor.root) });
		const chat = await window.openChat();
		// In a narrow panel there is no room for the meter.
		await window.command("View: Maximize Secondary Side Bar");
		const meter = chat.frame.locator("[data-meter=cache]");
		const take = (name: string) => window.page.screenshot({ path: shownPictureFile(`provider ${name}`) });

		for (const [index, { kind, only, models, header }] of SERVERS.entries()) {
			const count = createPrefixCache();
			const isLocal = header === undefined;
			const model = await startFakeModel(
				(request) => {
					const usage = count(request);
					// Ollama reads from its cache, and does not say how much.
					return withUsage(says(`Here is ${kind}.`), isLocal ? { ...usage, cached: 0 } : usage);
				},
				{ only, models, ...(isLocal ? { ports: Object.keys(KNOWN_PORTS).map(Number) } : {}) },
			);
			desk.defer(() => model.stop());
			const { id } = models[0];
			const key = `sk-canary-of-${kind}`;
			await window.command("Vitrine: Set Up Model…");
			if (isLocal) {
				const found = window.quickPick(KNOWN_PORTS[Number(new URL(model.baseUrl).port) as keyof typeof KNOWN_PORTS]);
				await found.waitFor();
				await take(`${kind} found`);
				await found.click();
			} else {
				await window.quickPick("Another server").click();
				await window.answer("Server URL", model.baseUrl);
				await window.answer("API Key", key);
			}
			await window.quickPick(id).waitFor();
			await take(`${kind} model`);
			await window.quickPick(id).click();
			await window.quickInput.waitFor({ state: "hidden" });
			await chat.chip("model").getByText(id).waitFor();
			for (const turn of ["first", "second"] as const) {
				await chat.ask(`The ${turn} question for ${kind}.`);
				await chat.waitForEnd();
				const [text, title] =
					index === 0 && turn === "first" ? ["", ""] : [await meter.innerText(), await meter.getAttribute("title")];
				assert.equal(
					/Cache miss caused by: a different model/.test(title ?? ""),
					index > 0 && turn === "first",
					`${kind}, ${turn}: ${title}`,
				);
				if (turn === "second") assert.equal(/^cache (?:[6-9]\d|100)%$/.test(text), !isLocal, `${kind}: ${text}`);
			}
			await chat
				.rows("agentMessage")
				.filter({ hasText: `Here is ${kind}.` })
				.last()
				.waitFor();
			// The API's own rules were checked by the server for each of them.
			assert.deepEqual(
				model.requests.map(({ text }) => text.split("<model_switch").length - 1),
				[index, index],
			);
			assert.deepEqual(model.unexpected, []);
			for (const { headers } of model.requests) {
				const sent = header === undefined ? headers.authorization : headers[header];
				assert.equal(sent?.replace("Bearer ", ""), header === undefined ? undefined : key);
			}
			for (const { kind: other } of SERVERS.slice(0, index))
				assert.match(model.requests.at(-1)?.text ?? "", new RegExp(`Here is ${other}`));
		}
		await until(
			"no notification is in the way",
			async () => (await window.page.locator(".notification-toast").count()) === 0,
		);
		await take("five in one thread");
	}),
);
