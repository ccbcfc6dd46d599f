import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { didChangeConfiguration, modelList } from "../../agent-host/protocol/host/host.ts";
import type { PartialSettings } from "../../agent-host/protocol/settings/settings.ts";
import { threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import { type FakeModel, type Script, startFakeModel } from "../support/fake-model.ts";
import { renderChat } from "../support/fake-model-chat.ts";
import type { RecordedRequest } from "../support/fake-model-request.ts";
import { calls, says, thinks, together, withUsage } from "../support/fake-model-steps.ts";
import { aThread, runTurn, type SecretAsk } from "../support/host-process.ts";
import { createPrefixCache } from "../support/prefix-cache.ts";
import { compactNow, isCompaction, sumsUp } from "./rig/compaction.ts";
import { shareHost } from "./rig/share-host.ts";
import { withHost } from "./rig/with-host.ts";

let asked: SecretAsk[] = [];

/** Each test brings settings of its own, with servers of its own. */
const withShared = shareHost({
	secret(ask) {
		asked.push(ask);
		return { value: `key-of-${new URL(ask.origin).port}` };
	},
});

async function aServer(t: TestContext, script: Script): Promise<FakeModel> {
	const model = await startFakeModel(script, { models: [{ id: "fake-1", max_model_len: 200_000 }] });
	t.after(() => model.stop());
	return model;
}

/** Each kind of server with its API, and with what it calls reasoning in a Chat Completions stream. */
const KINDS = {
	openai: { wire: "responses" },
	openrouter: {
		wire: "chat",
		reasoning: '"reasoning":$1,"reasoning_details":[{"type":"reasoning.text","text":$1,"index":0}]',
	},
	ollama: { wire: "chat", reasoning: '"reasoning":$1' },
	anthropic: { wire: "messages" },
	google: { wire: "gemini" },
} as const;
type Kind = keyof typeof KINDS;
const NAMES = Object.keys(KINDS) as Kind[];
/** It has a cache, and does not report cache reads. */
const SILENT: Kind = "ollama";

/** Reasons, reads a file, reasons again and answers, in every turn. Counts what it has read before. */
function worksAs(name: Kind): Script {
	const count = createPrefixCache();
	return (request, index) => {
		const usage = count(request);
		const reply =
			index % 2 === 0
				? together(thinks(`Secret thought of ${name}.`), calls("read_file", { path: "README.md" }))
				: together(thinks(`Last thought of ${name}.`), says(`${name} is done.`));
		const counted = withUsage(reply, name === SILENT ? { ...usage, cached: 0 } : usage);
		const kind = KINDS[name];
		if (!("reasoning" in kind)) return counted;
		const frames = [...renderChat(counted, "m", true)].join("");
		return { kind: "raw", body: frames.replaceAll(/"reasoning_content":("[^"]*")/g, kind.reasoning) };
	};
}

/** How often a request says that another model takes over. */
function countSwitches(text: string): number {
	return text.split("<model_switch").length - 1;
}

function modelIn(request: Pick<RecordedRequest, "body"> | undefined): unknown {
	return (request?.body as { readonly model?: unknown } | undefined)?.model;
}

test("over five providers each switch is told once and named as a cache break, and reasoning stays with its provider", async (t) => {
	const servers = await Promise.all(NAMES.map((name) => aServer(t, worksAs(name))));
	const providers = Object.fromEntries(
		NAMES.map((name, index) => [name, { wire: KINDS[name].wire, baseUrl: servers[index]?.baseUrl ?? assert.fail() }]),
	);
	const settings: PartialSettings = { model: { id: "openai/from-openai" }, providers };
	asked = [];
	await withShared(t, [], async ({ host }) => {
		host.notify(didChangeConfiguration, { settings });
		const threadId = await aThread(host);
		// Each is asked twice, and all of them once more.
		for (const [turn, name] of [...NAMES.flatMap((name) => [name, name]), ...NAMES].entries()) {
			await host.request(threadSettings, { threadId, settings: { model: { id: `${name}/from-${name}` } } });
			const { end, text, published } = await runTurn(host, threadId, `Ask ${name}.`);
			assert.deepEqual([name, end.status, text], [name, "completed", `${name} is done.`]);
			const isSwitch = turn > 0 && (turn % 2 === 0 || turn >= 2 * NAMES.length);
			const usage = published.flatMap(({ event }) => (event.type === "usage" ? [event] : []));
			assert.deepEqual(
				usage.map(({ cacheBreak }) => cacheBreak),
				[isSwitch ? { reason: "model", part: "model" } : undefined, undefined],
				`turn ${turn + 1}, ${name}`,
			);
			// The first request to a provider finds nothing there; later ones find what both have in common.
			for (const { last } of usage.slice(turn === 0 || isSwitch ? 1 : 0))
				assert.equal(last.cached > last.input / 2, name !== SILENT, `turn ${turn + 1}, ${name}`);
		}
	});
	for (const [index, name] of NAMES.entries()) {
		const { requests, baseUrl } = servers[index] ?? assert.fail();
		const others = NAMES.filter((other) => other !== name);
		const again = index + NAMES.length;
		assert.deepEqual(
			requests.map(({ text }) => countSwitches(text)),
			[index, index, index, index, again, again],
		);
		for (const { text, headers } of requests) {
			for (const other of others) assert.doesNotMatch(text, new RegExp(`thought of ${other}`));
			if (name !== "google") assert.doesNotMatch(text, /thoughtSignature/);
			assert.equal(headers.authorization, `Bearer key-of-${new URL(baseUrl).port}`);
		}
		assert.equal(/"reasoning_details":.*thought of openrouter/.test(requests[1]?.text ?? ""), name === "openrouter");
		// Every earlier answer is there, whichever model gave it.
		for (const other of NAMES) assert.match(requests.at(-1)?.text ?? "", new RegExp(`${other} is done`));
	}
	assert.equal(new Set(asked.map(({ origin }) => origin)).size, NAMES.length);
});

test("the same model at another provider is not a switch; a differently named model is told of the switch once", async (t) => {
	const [one, two] = await Promise.all([aServer(t, () => says("One.")), aServer(t, () => says("Two."))]);
	const providers = {
		one: { wire: "chat", baseUrl: one.baseUrl },
		two: { wire: "chat", baseUrl: two.baseUrl, headers: { "x-team": "seven" } },
	} as const;
	await withShared(t, [], async ({ host }) => {
		host.notify(didChangeConfiguration, { settings: { model: { id: "one/fake-1" }, providers } });
		const threadId = await aThread(host);
		const use = (id: string) => host.request(threadSettings, { threadId, settings: { model: { id } } });
		await runTurn(host, threadId, "a");
		await use("two/fake-1");
		await runTurn(host, threadId, "b");
		await use("two/fake-2");
		await runTurn(host, threadId, "c");
		await runTurn(host, threadId, "d");
		assert.deepEqual(
			two.requests.map(({ text }) => countSwitches(text)),
			[0, 1, 1],
		);
		assert.deepEqual(
			two.requests.map(({ headers }) => headers["x-team"]),
			["seven", "seven", "seven"],
		);
		assert.equal(one.requests[0]?.headers["x-team"], undefined);
	});
});

for (const [ending, other] of [
	["/", ""],
	["", "/"],
]) {
	test(`what a provider's settings say holds for its address with ${other || "nothing"} at the end, also where they write it with ${ending || "nothing"}`, async (t) => {
		const server = await aServer(t, () => says("Hello."));
		const work = {
			wire: "chat",
			baseUrl: `${server.baseUrl}${ending}`,
			headers: { "x-team": "seven" },
			models: { "fake-1": { window: 50_000 } },
		} as const;
		await withShared(t, [], async ({ host }) => {
			const model = {
				provider: "compatible",
				wire: "chat",
				baseUrl: `${server.baseUrl}${other}`,
				id: "fake-1",
			} as const;
			host.notify(didChangeConfiguration, { settings: { model, providers: { work } } });
			const threadId = await aThread(host);
			await runTurn(host, threadId, "a");
			assert.equal(server.requests[0]?.headers["x-team"], "seven");
			const { models } = await host.request(modelList, { settings: { model } });
			assert.deepEqual(
				models.map(({ window }) => window),
				[50_000],
			);
		});
	});
}

test("a thread keeps its provider's address, whatever is configured under that name later", async (t) => {
	const gateway = await aServer(t, () => says("From the gateway."));
	const model = {
		provider: "compatible",
		wire: "chat",
		baseUrl: gateway.baseUrl,
		id: "anthropic/claude-opus-5",
	} as const;
	await withHost(t, { settings: { model } }, async ({ host, another }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "a");
		await host.close();
		const later = await another({ settings: { model: { provider: "demo" }, providers: { anthropic: {} } } });
		const { text } = await runTurn(later, threadId, "b");
		assert.equal(text, "From the gateway.");
		assert.equal(modelIn(gateway.requests.at(-1)), "anthropic/claude-opus-5");
	});
});

test("a thread cannot define a provider, and the host lists which models each provider offers", async (t) => {
	const server = await aServer(t, () => says("No."));
	const price = { input: 1, output: 2 };
	const providers = {
		work: { wire: "chat", baseUrl: server.baseUrl, models: { "fake-1": { window: 50_000, images: true, price } } },
	} as const;
	await withShared(t, [], async ({ host }) => {
		host.notify(didChangeConfiguration, { settings: { providers } });
		const threadId = await aThread(host);
		const foreign = { model: { id: "evil/fake-1" }, providers: { evil: { baseUrl: "http://127.0.0.1:9/v1" } } };
		await host.request(threadSettings, { threadId, settings: foreign });
		assert.match((await runTurn(host, threadId, "a")).text, /./, "the demo model still answers");
		const { models } = await host.request(modelList, { settings: { model: { id: "work/x" } } });
		assert.deepEqual(models, [{ id: "fake-1", window: 50_000, windowSource: "setting", images: true, price }]);
	});
});

test("summaries are written by another provider's model if the settings name one", async (t) => {
	const talker = await aServer(t, () => says("Hello."));
	const writer = await aServer(t, (request) => (isCompaction(request) ? sumsUp("first question", []) : undefined));
	const settings: PartialSettings = {
		model: { id: "talker/fake-1" },
		providers: { talker: { baseUrl: talker.baseUrl }, writer: { wire: "messages", baseUrl: writer.baseUrl } },
		compaction: { model: "writer/fake-small" },
	};
	await withShared(t, [], async ({ host }) => {
		host.notify(didChangeConfiguration, { settings });
		const threadId = await aThread(host);
		await runTurn(host, threadId, "first question");
		await compactNow({ host, threadId });
		await runTurn(host, threadId, "second question");
		assert.deepEqual(
			writer.requests.map(({ path, body }) => [path, modelIn({ body })]),
			[["/v1/messages", "fake-small"]],
		);
		assert.match(talker.requests.at(-1)?.text ?? "", /RESUME_AT: answer/);
		assert.equal(talker.requests.length, 2);
	});
});
