import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { didChangeConfiguration, modelList } from "../../agent-host/protocol/host/host.ts";
import type { PartialSettings } from "../../agent-host/protocol/settings/settings.ts";
import { threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import { type FakeModel, type Script, startFakeModel } from "../support/fake-model.ts";
import type { RecordedRequest } from "../support/fake-model-request.ts";
import { calls, says, thinks, together } from "../support/fake-model-steps.ts";
import { aThread, runTurn, type SecretAsk } from "../support/host-process.ts";
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

/** Reasons, reads a file, reasons again and answers, in every turn. */
function worksAs(name: string): Script {
	return (_, index) =>
		index % 2 === 0
			? together(thinks(`Secret thought of ${name}.`), calls("read_file", { path: "README.md" }))
			: together(thinks(`Last thought of ${name}.`), says(`${name} is done.`));
}

/** How often a request says that another model goes on. */
function countSwitches(text: string): number {
	return text.split("<model_switch").length - 1;
}

function modelIn(request: Pick<RecordedRequest, "body"> | undefined): unknown {
	return (request?.body as { readonly model?: unknown } | undefined)?.model;
}

const WIRES = ["responses", "chat", "messages", "gemini"] as const;

test("a thread goes on over several providers: each switch is told once, and no reasoning reaches another provider", async (t) => {
	const servers = await Promise.all(WIRES.map((wire) => aServer(t, worksAs(wire))));
	const providers = Object.fromEntries(
		WIRES.map((wire, index) => [wire, { wire, baseUrl: servers[index]?.baseUrl ?? assert.fail() }]),
	);
	const settings: PartialSettings = { model: { id: "responses/from-responses" }, providers };
	asked = [];
	await withShared(t, [], async ({ host }) => {
		host.notify(didChangeConfiguration, { settings });
		const threadId = await aThread(host);
		for (const wire of [...WIRES, ...WIRES]) {
			await host.request(threadSettings, { threadId, settings: { model: { id: `${wire}/from-${wire}` } } });
			const { end, text } = await runTurn(host, threadId, `Ask ${wire}.`);
			assert.deepEqual([wire, end.status, text], [wire, "completed", `${wire} is done.`]);
		}
	});
	for (const [index, wire] of WIRES.entries()) {
		const { requests, baseUrl } = servers[index] ?? assert.fail();
		const others = WIRES.filter((other) => other !== wire);
		assert.deepEqual(
			requests.map(({ text }) => countSwitches(text)),
			[index, index, index + WIRES.length, index + WIRES.length],
		);
		for (const { text, headers } of requests) {
			for (const other of others) assert.doesNotMatch(text, new RegExp(`thought of ${other}`));
			if (wire !== "gemini") assert.doesNotMatch(text, /thoughtSignature/);
			assert.equal(headers.authorization, `Bearer key-of-${new URL(baseUrl).port}`);
		}
		// Every answer before is there, whoever gave it.
		for (const other of WIRES) assert.match(requests.at(-1)?.text ?? "", new RegExp(`${other} is done`));
	}
	assert.equal(new Set(asked.map(({ origin }) => origin)).size, WIRES.length);
});

test("a model with the same name at another provider is no other model; one with another name is told of the switch once", async (t) => {
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

test("a thread cannot bring a provider along, and says which models each provider offers", async (t) => {
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

test("summaries are written by the model of another provider if the settings name one", async (t) => {
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
