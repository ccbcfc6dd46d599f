import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { noteTexts } from "../support/editor-noted.ts";
import { createEditorSession } from "../support/editor-session.ts";
import { until } from "../support/editor-until.ts";
import { startFakeModel } from "../support/fake-model.ts";
import { calls, refuses, retryAfter, type Step, says } from "../support/fake-model-steps.ts";
import { copySample } from "../support/sample.ts";

const WRONG_KEY = "sk-wrong-canary-1f6c0d5ba9";
const RIGHT_KEY = "sk-right-canary-7e2b94c3d8";
/** The ports on which servers are looked for, by the names they are then shown under. */
const KNOWN_PORTS = { 11434: "Ollama", 1234: "LM Studio", 8080: "llama.cpp", 8000: "vLLM" } as const;
const ROUND = [1, 2, 3, 4].map(() => calls("read_file", { path: "README.md" }));

const session = createEditorSession({
	beside: [join(import.meta.dirname, "test-models")],
	settings: {
		"security.workspace.trust.enabled": false,
		"chat.disableAIFeatures": false,
		"vitrine.model.prices": { "small-1": { input: 2_000, output: 8_000 } },
		"vitrine.budgets.turn": { requests: 4 },
		"vitrine.editorTools": ["count_cats"],
	},
});

const inFolder = session.share(async (desk) => {
	const window = await desk.open({ folder: copySample(desk.editor.root) });
	await window.openChat();
	return { window };
});

test(
	"a wrong key is explained, a right one works, and neither is ever written to a file",
	inFolder.untouched(async ({ desk, window, chat }) => {
		await chat.banner("demo").waitFor();
		const model = await startFakeModel((request) =>
			request.headers.authorization === `Bearer ${RIGHT_KEY}`
				? says("The right key opens the door.")
				: refuses(401, "invalid_api_key", "Incorrect API key provided: {key}."),
		);
		desk.defer(() => model.stop());
		await window.command("Vitrine: Set Up Model…");
		await window.quickPick("Another server").click();
		await window.answer("Server URL", model.baseUrl);
		await window.answer("API Key", WRONG_KEY);
		// It stays in that step with the reason, and nothing is written.
		const reason = window.page.locator(".quick-input-widget .quick-input-message");
		await reason.filter({ hasText: /key/i }).waitFor();
		assert.doesNotMatch(await reason.innerText(), /canary/);
		await chat.banner("demo").waitFor();
		await window.answer("API Key", RIGHT_KEY);
		await window.quickPick("fake-1").click();
		await window.quickInput.waitFor({ state: "hidden" });
		await chat.banner("demo").waitFor({ state: "detached" });
		await chat.ask("Is anybody there?");
		await chat.rows("agentMessage").filter({ hasText: "opens the door" }).waitFor();
		await chat.waitForEnd();
		const sent = [...model.requests, ...model.others].map(({ headers }) => headers.authorization);
		assert.deepEqual(new Set(sent), new Set([undefined, `Bearer ${WRONG_KEY}`, `Bearer ${RIGHT_KEY}`]));
		assert.equal(model.requests.at(-1)?.headers.authorization, `Bearer ${RIGHT_KEY}`);

		const written = readTree(desk.editor.root);
		assert.ok(written.some(({ path }) => path.endsWith("User/settings.json")));
		assert.deepEqual(
			written.filter(({ text }) => text.includes(WRONG_KEY) || text.includes(RIGHT_KEY)).map(({ path }) => path),
			[],
		);
		assert.doesNotMatch(desk.editor.logs(), /canary/);
	}),
);

test(
	"a local server is found and chosen, and its budget, its rate limit and its absence are each reported",
	inFolder(async ({ desk, window, chat }) => {
		let steps: Step[] = [says("Local and quick.")];
		const ports = Object.keys(KNOWN_PORTS).map(Number);
		const models = [{ id: "small-1", max_model_len: 65_536 }];
		const model = await startFakeModel(() => steps.shift(), { ports, models });
		desk.defer(() => model.stop());
		const port = Number(new URL(model.baseUrl).port) as keyof typeof KNOWN_PORTS;
		await window.command("Vitrine: Set Up Model…");
		await window.quickPick(KNOWN_PORTS[port]).waitFor();
		await window.screenshot("set-up with a local server");
		assert.match(await window.quickPick(KNOWN_PORTS[port]).innerText(), new RegExp(`127.0.0.1:${port}, 1 model`));
		await window.quickPick(KNOWN_PORTS[port]).click();
		await window.quickPick("small-1").waitFor();
		assert.match(await window.quickPick("small-1").innerText(), /65,536 tokens \(reported by the server\)/);
		await window.quickPick("small-1").click();
		await chat.chip("model").getByText("small-1").waitFor();
		await chat.ask("Hello?");
		await chat.rows("agentMessage").filter({ hasText: "Local and quick." }).waitFor();
		await chat.waitForEnd();
		assert.match(await chat.frame.locator(".turn-summary").last().innerText(), /\$0\.28/);
		const sent = [...model.requests, ...model.others].map(({ headers }) => headers.authorization);
		assert.deepEqual(new Set(sent), new Set([undefined]));

		steps = [...ROUND, says("Read.")];
		await chat.ask("Read it");
		const end = chat.rows("turnEnd");
		await end.getByText("This turn has used 4 requests of the limit of 4 requests.").waitFor();
		await window.screenshot("limit reached");
		await end.getByRole("button", { name: "Raise to 8 requests" }).click();
		await chat.rows("agentMessage").filter({ hasText: "Read." }).waitFor();
		await chat.waitForEnd();
		assert.equal(model.requests.length, 6);

		steps = [retryAfter(429, 55)];
		await chat.ask("Again?");
		const status = chat.frame.locator("[data-progress=countdown]");
		await status.getByText(/Rate limited. Retrying in (5[0-5]|[234]\d) s/).waitFor();
		await window.screenshot("rate limit counted down");
		await status.getByRole("button", { name: "Stop" }).click();
		await chat.waitForEnd();
		assert.match(await chat.rows("turnEnd").last().innerText(), /Stopped/);

		await model.stop();
		const said = await noteTexts(chat.frame, "[data-progress=countdown]");
		await chat.ask("Still there?");
		await until("the next try is counted down, with its reason", async () =>
			(await said()).some((text) => /^Retrying in \d+ s.*cannot be reached \(ECONNREFUSED\)/.test(text)),
		);
		await window.screenshot("server down");
		// The last attempt may be over by now.
		await window.command("Vitrine: Stop");
		await chat.waitForEnd();
	}),
);

test(
	"another extension's tool runs after a card that shows its arguments, and its result goes to the model",
	inFolder(async ({ desk, window, chat }) => {
		// Setting it up asks as well.
		let steps: Step[] = [];
		const model = await startFakeModel(() => steps.shift() ?? says("Ready."), { models: [{ id: "counter" }] });
		desk.defer(() => model.stop());
		await window.command("Vitrine: Set Up Model…");
		await window.quickPick("Another server").click();
		await window.answer("Server URL", model.baseUrl);
		await window.answer("API Key", "");
		await window.quickPick("counter").click();
		await chat.chip("model").getByText("counter").waitFor();
		steps = [calls("editor__count_cats", { place: "the attic" }), says("Three cats.")];
		await chat.ask("How many cats are in the attic?");
		const card = await chat.question();
		assert.match(await card.text(), /outside the sandbox[\s\S]*"place": "the attic"/);
		await window.screenshot("tool of another extension");
		await card.decide("allow");
		await chat.rows("agentMessage").filter({ hasText: "Three cats." }).waitFor();
		await chat.waitForEnd();
		assert.match(JSON.stringify(model.requests.at(-1)?.body), /3 cats in the attic\./);
	}),
);

test(
	"four kinds of servers are set up from their address alone, and one thread continues across all of them",
	inFolder(async ({ desk, window, chat }) => {
		for (const only of ["messages", "gemini", "chat", "responses"] as const) {
			const id = `vendor/from-${only}`;
			const model = await startFakeModel(() => says(`Here is ${only}.`), { only, models: [{ id }] });
			desk.defer(() => model.stop());
			await window.command("Vitrine: Set Up Model…");
			await window.quickPick("Another server").click();
			await window.answer("Server URL", model.baseUrl);
			await window.answer("API Key", "");
			await window.quickPick(id).click();
			await window.quickInput.waitFor({ state: "hidden" });
			await chat.chip("model").getByText(id).waitFor();
			await chat.ask(`Who are you, ${only}?`);
			await chat
				.rows("agentMessage")
				.filter({ hasText: `Here is ${only}.` })
				.waitFor();
			await chat.waitForEnd();
			assert.equal(model.requests.length, 1, "the last part of the conversation");
			assert.equal((await desk.editor.readUserSettings())["vitrine.model.wire"] ?? "responses", only);
		}
		await window.screenshot("one thread over four servers");
	}),
);

test(
	"several providers are configured side by side, each with a name, and the picker groups their models",
	inFolder(async ({ desk, window, chat }) => {
		const ports = Object.keys(KNOWN_PORTS).map(Number);
		const models = [{ id: "small-1", max_model_len: 65_536 }];
		const local = await startFakeModel(() => says("Local."), { ports, models });
		desk.defer(() => local.stop());
		const port = Number(new URL(local.baseUrl).port) as keyof typeof KNOWN_PORTS;
		const readProviders = async () =>
			Object.keys(((await desk.editor.readUserSettings())["vitrine.providers"] as object | undefined) ?? {});
		await window.command("Vitrine: Set Up Model…");
		for (const brand of ["OpenAI", "Anthropic", "Google Gemini", "OpenRouter"]) await window.quickPick(brand).waitFor();
		await window.quickPick(KNOWN_PORTS[port]).click();
		await window.quickPick("small-1").click();
		await chat.chip("model").getByText("small-1").waitFor();
		const [name = ""] = await readProviders();

		// A model whose name begins like the first provider must not be taken for one of its models.
		const id = `${name}/big-1`;
		const other = await startFakeModel(() => says("Other."), { models: [{ id, max_model_len: 200_000 }] });
		desk.defer(() => other.stop());
		await window.command("Vitrine: Set Up Model…");
		await window.quickPick("Another server").click();
		await window.answer("Server URL", other.baseUrl);
		await window.answer("API Key", "");
		await window.quickPick(id).click();
		await chat.chip("model").getByText(id).waitFor();
		await chat.ask("Who is there?");
		await chat.rows("agentMessage").filter({ hasText: "Other." }).waitFor();
		await chat.waitForEnd();
		assert.deepEqual(await readProviders(), [name, new URL(other.baseUrl).host.replace(":", "-")]);

		await window.command("Vitrine: Change Model…");
		await window.quickPick("small-1").waitFor();
		await window.screenshot("models of two providers");
		await window.quickPick("small-1").click();
		await chat.chip("model").getByText("small-1").waitFor();
		await chat.ask("And now?");
		await chat.rows("agentMessage").filter({ hasText: "Local." }).waitFor();
		await chat.waitForEnd();
	}),
);

test(
	"a model of another extension answers in the panel, and a refused consent is reported like any failure",
	inFolder(async ({ desk, window, chat }) => {
		await window.command("Vitrine: Set Up Model…");
		await window.quickPick("Editor model").click();
		await window.quickPick("Parrot").click();
		await chat.chip("model").getByText("parrot").waitFor();
		// One after the other, the provider last.
		await until("both settings are written", async () => {
			const saved = await desk.editor.readUserSettings();
			return saved["vitrine.model.provider"] === "editor" && saved["vitrine.model.id"] === "parrot";
		});
		await chat.ask("Pretty bird");
		await chat.rows("agentMessage").filter({ hasText: "Parrot says: Pretty bird" }).waitFor();
		await chat.waitForEnd();
		assert.equal(await chat.frame.locator("[data-meter=cost]").count(), 0);
		await chat.ask("Please refuse");
		await chat.waitForEnd();
		const failure = chat.rows("turnEnd").last();
		await failure.getByRole("button", { name: "Set Up Model" }).waitFor();
		assert.match(await failure.innerText(), /does not allow Vitrine to use this model/);
		await window.screenshot("editor model refused");
	}),
);

function readTree(folder: string): readonly { readonly path: string; readonly text: string }[] {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name))
		.map((path) => ({ path, text: readFileSync(path, "latin1") }));
}
