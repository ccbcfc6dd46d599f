import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { didChangeConfiguration, hostStatus, modelList } from "../../agent-host/protocol/host/host.ts";
import type { PartialSettings } from "../../agent-host/protocol/settings/settings.ts";
import { isCall } from "../../agent-host/protocol/thread/item.ts";
import { threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import { answerAs, CHAT_SERVERS, type ScriptedCall } from "../support/chat-servers.ts";
import type { Script } from "../support/fake-model.ts";
import type { RecordedRequest } from "../support/fake-model-request.ts";
import { refuses, type Step, says } from "../support/fake-model-steps.ts";
import { aThread, runTurn } from "../support/host-process.ts";
import { aTalk, type Talk } from "./rig/compaction.ts";
import { shareHost } from "./rig/share-host.ts";
import { pointAt, withHost } from "./rig/with-host.ts";

const CHAT: PartialSettings = { model: { wire: "chat" } };
const withShared = shareHost({ settings: CHAT });
const CALLS: readonly ScriptedCall[] = [
	["read_file", { path: "README.md" }],
	["list_files", { pattern: "*.md" }],
];

type ChatServer = (typeof CHAT_SERVERS)[number];

function answerTurns(server: ChatServer): Script {
	return (request) => {
		const { messages } = request.body as { readonly messages: readonly { readonly role: string }[] };
		const asked = messages.findLastIndex(({ role }) => role === "user");
		const worked = messages.slice(asked).some(({ role }) => role === "tool");
		return answerAs(server, request, worked ? server.say("It is a project.") : server.call(CALLS));
	};
}

test("the host works with every kind of chat server, each with its quirks", (t) =>
	withShared(t, [], async (rig) => {
		const talks = new Map<ChatServer, Talk>();
		for (const server of CHAT_SERVERS) {
			await t.test(
				`${server.name}: a turn with parallel calls succeeds, and the server's quirks are learned once`,
				async () => {
					const talk = await aTalk(t, rig, answerTurns(server), CHAT);
					talks.set(server, talk);
					const first = await talk.say("What is this?");
					assert.deepEqual([first.end.status, first.text], ["completed", "It is a project."]);
					const ran = first.published.flatMap(({ event }) =>
						event.type === "itemCompleted" && isCall(event.item) ? [[event.item.name, event.item.status]] : [],
					);
					// They run side by side, so either may end first.
					assert.deepEqual(ran.sort(), [
						["list_files", "completed"],
						["read_file", "completed"],
					]);
					assert.equal(talk.model.requests.length, 2 + server.lessons);
					const usage = first.published.map(({ event }) => event).find((event) => event.type === "usage");
					assert.equal(usage?.estimated, !server.reportsUsage);

					// The same ids come again, and the calls still run again.
					const second = await talk.say("And now?");
					assert.deepEqual([second.end.status, second.text], ["completed", "It is a project."]);
					assert.equal(talk.model.requests.length, 4 + server.lessons, "nothing is learned twice");
				},
			);
		}
		const later = await rig.another();
		for (const [server, { model }] of talks) {
			await t.test(`${server.name}: what was learned outlives the host`, async () => {
				await runTurn(later, await aThread(later, { settings: pointAt(model, CHAT) }), "And tomorrow?");
				assert.equal(model.requests.length, 6 + server.lessons);
			});
		}
	}));

test("a learned quirk is announced in one sentence, and the retry counts as an attempt", (t) => {
	const refusal: Step = refuses(400, "unsupported_parameter", "Unknown parameter: 'stream_options'.");
	return withShared(t, [refusal, refusal], async ({ host, model }) => {
		const { end, published } = await runTurn(host, await aThread(host), "hello");
		assert.deepEqual([end.error?.code, model.requests.length], ["bad-request", 2]);
		const said = published.flatMap(({ event }) => (event.type === "warning" ? [event.message] : []));
		assert.match(
			said.join(),
			/does not support “stream_options” with this model, so it is not sent\. Retrying now \(2 of 5\)\.$/,
		);
	});
});

test("a window learned from an overflow applies from the next turn on, survives a restart, and yields to the setting", (t) => {
	const overflow = refuses(400, "x", "This model's maximum context length is 9000 tokens. However, you sent more.");
	const script = (_: RecordedRequest, index: number) => (index === 0 ? overflow : says("Ok."));
	return withShared(t, script, async ({ host, another, model, world }) => {
		const inForce = async (of: typeof host) => {
			const { window, windowSource } = (await of.request(hostStatus, {})).model;
			return [windowSource, window];
		};
		assert.deepEqual(await inForce(host), ["assumed", 32_000]);
		const threadId = await aThread(host);
		assert.equal((await runTurn(host, threadId, "long")).text, "Ok.", "it was compacted and sent again");
		assert.deepEqual(await inForce(host), ["learned", 9_000]);
		const { published } = await runTurn(host, threadId, "short");
		const started = published.map(({ event }) => event).find((event) => event.type === "turnStarted");
		assert.deepEqual([started?.envelope.windowSource, started?.envelope.window], ["learned", 9_000]);

		assert.deepEqual(await inForce(await another()), ["learned", 9_000]);
		const base = { provider: "compatible", baseUrl: model.baseUrl, id: "fake-1", wire: "chat" } as const;
		const raised = await another({ settings: { model: { ...base, contextWindow: 20_000 } } });
		assert.deepEqual(await inForce(raised), ["setting", 20_000]);
		assert.doesNotMatch(readFileSync(join(world.home, "servers.json"), "utf8"), new RegExp(world.key));
	});
});

test("a window learned from an overflow wins over the window of a model in its provider's settings, however often it shrinks", (t) => {
	let window: number | undefined;
	const script = () => {
		const refused = window;
		window = undefined;
		if (refused === undefined) return says("Ok.");
		return refuses(400, "x", `This model's maximum context length is ${refused} tokens.`);
	};
	return withShared(t, script, async ({ host, model }) => {
		const work = { wire: "chat", baseUrl: model.baseUrl, models: { coder: { window: 60_000 } } } as const;
		host.notify(didChangeConfiguration, { settings: { model: { id: "work/coder" }, providers: { work } } });
		const threadId = await aThread(host);
		const after = async (refused: number | undefined) => {
			window = refused;
			assert.equal((await runTurn(host, threadId, "hello")).text, "Ok.");
			const { model: inForce } = await host.request(hostStatus, {});
			return [inForce.windowSource, inForce.window];
		};
		assert.deepEqual(await after(20_000), ["learned", 20_000]);
		assert.deepEqual(await after(9_000), ["learned", 9_000]);
		assert.deepEqual(await after(undefined), ["learned", 9_000]);
	});
});

test("a window named in the server's model list applies from then on", (t) =>
	withHost(
		t,
		{ script: [], settings: CHAT, models: [{ id: "fake-1", max_model_len: 65_536 }, { id: "fake-2" }] },
		async ({ host }) => {
			const { models } = await host.request(modelList, {});
			assert.deepEqual(models, [
				{ id: "fake-1", window: 65_536, windowSource: "server", images: false },
				{ id: "fake-2", window: 32_000, windowSource: "assumed", images: false },
			]);
			const { window, windowSource } = (await host.request(hostStatus, {})).model;
			assert.deepEqual([windowSource, window], ["server", 65_536]);
		},
	));

test("an unreadable memory of servers counts as none", (t) =>
	withHost(t, { script: [says("Ok.")], settings: CHAT, home: { "servers.json": "{ torn" } }, async ({ host }) => {
		assert.equal((await runTurn(host, await aThread(host), "hello")).text, "Ok.");
	}));

type Roles = readonly { readonly role: string; readonly tool_calls?: unknown }[];

/** Chat templates that refuse a conversation by its roles, each with its first complaint about them. */
const TEMPLATES: Readonly<Record<string, (messages: Roles) => string | undefined>> = {
	"Mistral's first": (messages) => {
		if (!takeTurns(messages)) return "Conversation roles must alternate user/assistant/user/assistant/...";
		const isOther = messages.some(({ role }) => role !== "user" && role !== "assistant");
		return isOther ? "Only user and assistant roles are supported!" : undefined;
	},
	"Mistral's third": (messages) => {
		const counted = messages.filter(({ role, tool_calls }) => role !== "tool" && tool_calls === undefined);
		const isStrict = takeTurns(counted[0]?.role === "system" ? counted.slice(1) : counted);
		return isStrict
			? undefined
			: "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...";
	},
	"Gemma's": (messages) => {
		if (messages[0]?.role === "system") return "System role not supported";
		return takeTurns(messages) ? undefined : "Conversation roles must alternate user/assistant/user/assistant/...";
	},
};

function takeTurns(messages: Roles): boolean {
	return messages.every(({ role }, index) => (role === "user") === (index % 2 === 0));
}

for (const [name, complain] of Object.entries(TEMPLATES)) {
	test(`over ${name} strict template a thread goes on after calls and changed settings, and the model reads what its calls gave`, (t) =>
		withShared(t, [], async (rig) => {
			const [plain = assert.fail()] = CHAT_SERVERS;
			const strict: ChatServer = {
				...plain,
				refuse: ({ messages }) => {
					const message = complain(messages);
					const status = 400;
					return message === undefined ? undefined : { status, body: JSON.stringify({ error: { message } }) };
				},
			};
			const calls: readonly ScriptedCall[] = [
				["read_file", { path: "sample.md" }],
				["list_files", { pattern: "*.md" }],
			];
			const script: Script = (request) => {
				const worked = request.text.includes("A sample.");
				return answerAs(strict, request, worked ? strict.say("It is a project.") : strict.call(calls));
			};
			writeFileSync(join(rig.world.workspace, "sample.md"), "A sample.\n");
			const talk = await aTalk(t, rig, script, CHAT);
			const first = await talk.say("What is this?");
			assert.deepEqual([first.end.status, first.text], ["completed", "It is a project."]);
			const settings: PartialSettings = { modes: { collaboration: "plan" } };
			await rig.host.request(threadSettings, { threadId: talk.threadId, settings });
			for (const prompt of ["And now?", "And then?"]) {
				const { end, text } = await talk.say(prompt);
				assert.deepEqual([end.status, text], ["completed", "It is a project."], end.error?.message);
			}
			const { text } = talk.model.requests.at(-1) ?? assert.fail();
			for (const said of ["What is this?", "A sample.", "And now?", "And then?"]) assert.ok(text.includes(said), said);
		}));
}
