import assert from "node:assert/strict";
import { test } from "node:test";
import type { QuestionAnswer, QuestionRequest } from "../../agent-host/protocol/approval/question.ts";
import { ServersSettings } from "../../agent-host/protocol/settings/server-settings.ts";
import { turnInterrupt, turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, type HostProcess, runTurn } from "../support/host-process.ts";
import { MCP_SERVER } from "../support/mcp-server.ts";
import { bodyOf } from "../support/request-page.ts";
import { shareHost } from "./rig/share-host.ts";

const ROOM = { contextWindow: 1_000_000 };
const asked: QuestionRequest[] = [];
const approved: string[] = [];
let answer: (request: QuestionRequest) => QuestionAnswer | Promise<QuestionAnswer> = () => ({ choice: "dismiss" });

const ASKER = { command: process.execPath, args: ["--input-type=module", "-e", MCP_SERVER], env: { MODE: "asking" } };

const withUser = shareHost({
	settings: { model: ROOM, servers: ServersSettings.parse({ asker: ASKER }) },
	approve: ({ subject }) => {
		approved.push(subject.kind);
		return { decision: "allow" };
	},
	asksUser: true,
	answer: (request) => {
		asked.push(request);
		return answer(request);
	},
});

const ASK = calls("ask_user", {
	questions: [
		{
			id: "store",
			header: "Storage",
			question: "Where should it go?",
			options: [{ label: "SQLite", description: "One file", recommended: true }, { label: "Postgres" }],
		},
		{
			id: "parts",
			question: "Which parts?",
			options: [{ label: "Tests" }, { label: "Docs" }],
			multiple: true,
			freeText: false,
		},
		{ id: "name", question: "What is it called?" },
	],
});

/** The result of the call, as the model reads it. */
async function ask(host: HostProcess): Promise<unknown> {
	asked.length = 0;
	const { published } = await runTurn(host, await aThread(host), "Go on.");
	const outputs = published.flatMap(({ event }) =>
		event.type === "itemCompleted" && event.item.kind === "toolCall" ? [event.item.output] : [],
	);
	return JSON.parse(outputs[0] ?? assert.fail("no call"));
}

test("the agent asks several questions at once, and reads only answers to what was asked", (t) =>
	withUser(t, [ASK, says("Done.")], async ({ host, model }) => {
		answer = () => ({
			choice: "answer",
			answers: {
				store: { chosen: ["SQLite", "Postgres", "Oracle"] },
				parts: { chosen: ["Docs", "Tests"], text: "not offered" },
				name: { chosen: [], text: "  Vitrine  " },
				other: { chosen: ["x"] },
			},
		});
		const given = {
			store: { chosen: ["SQLite"] },
			parts: { chosen: ["Tests", "Docs"] },
			name: { chosen: [], text: "Vitrine" },
		};
		assert.deepEqual(await ask(host), { state: "answered", answers: given });
		assert.deepEqual(asked[0]?.subject, {
			kind: "form",
			questions: [
				{
					id: "store",
					header: "Storage",
					text: "Where should it go?",
					options: [{ label: "SQLite", description: "One file", recommended: true }, { label: "Postgres" }],
					input: "text",
				},
				{ id: "parts", text: "Which parts?", options: [{ label: "Tests" }, { label: "Docs" }], multiple: true },
				{ id: "name", text: "What is it called?", options: [], input: "text" },
			],
		});
		assert.deepEqual(asked[0]?.choices, ["answer", "dismiss"]);
		const recorded = host.events(asked[0]?.threadId ?? "").find(({ event }) => event.type === "questionAnswered");
		assert.ok(recorded?.seq !== undefined && recorded.event.type === "questionAnswered");
		assert.deepEqual([recorded.event.choice, recorded.event.answers], ["answer", given]);
		assert.ok(bodyOf(model.requests[0] ?? assert.fail()).tools.some(({ name }) => name === "ask_user"));
	}));

for (const [how, give, expected] of [
	["dismisses it", () => ({ choice: "dismiss" as const }), { state: "skipped" }],
	["answers nothing", () => ({ choice: "answer" as const, answers: {} }), { state: "skipped" }],
	["answers what was not offered", () => ({ choice: "continue" as const }), { state: "unavailable" }],
	["cannot be asked after all", () => Promise.reject(new Error("gone")), { state: "unavailable" }],
] as const) {
	test(`when the user ${how}, the agent gets a value, and no consent`, (t) =>
		withUser(t, [calls("ask_user", { question: "May I?" }), says("Fine.")], async ({ host }) => {
			answer = give;
			assert.deepEqual(await ask(host), expected);
		}));
}

test("a stopped turn withdraws its question, and a late answer does nothing", (t) => {
	const late = Promise.withResolvers<QuestionAnswer>();
	return withUser(t, [calls("ask_user", { question: "Which?" }), says("Never said.")], async ({ host, model }) => {
		answer = () => late.promise;
		const threadId = await aThread(host);
		const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text: "Go." }] });
		await host.waitFor(threadId, ({ type }) => type === "questionAsked");
		await host.request(turnInterrupt, { threadId });
		const { end, published } = await endOfTurn(host, threadId, turnId);
		late.resolve({ choice: "answer", answers: { answer: { chosen: [], text: "Too late." } } });
		assert.equal(end.status, "interrupted");
		const answered = published.flatMap(({ event }) => (event.type === "questionAnswered" ? [event] : []));
		assert.deepEqual(
			answered.map(({ choice, answers }) => [choice, answers]),
			[[undefined, undefined]],
		);
		assert.equal(model.requests.length, 1);
	});
});

for (const [what, args, expected] of [
	["no question", {}, /Bad arguments/],
	[
		"two questions of one name",
		{
			questions: [
				{ id: "a", question: "A?" },
				{ id: "a", question: "B?" },
			],
		},
		/id of its own/,
	],
	["two options alike", { question: "A?", options: [{ label: "x" }, { label: "x" }] }, /different labels/],
	["one option", { question: "A?", options: [{ label: "x" }] }, /Bad arguments/],
] as const) {
	test(`a call with ${what} is an error that the model can repair, and nobody is asked`, (t) =>
		withUser(t, [calls("ask_user", args), says("Oh.")], async ({ host, model }) => {
			asked.length = 0;
			await runTurn(host, await aThread(host), "Go.");
			assert.match(JSON.stringify(bodyOf(model.requests[1] ?? assert.fail()).input.at(-1)), expected);
			assert.deepEqual(asked, []);
		}));
}

test("with approvals off the question tool is absent, so nobody waits for an answer", (t) =>
	withUser(t, [says("Fine.")], async ({ host, model }) => {
		const threadId = await aThread(host, { settings: { approval: "never" } });
		await runTurn(host, threadId, "Go.");
		assert.doesNotMatch(model.requests[0]?.text ?? "", /ask_user/);
	}));

/** What a server gets for its requests, all in one call. */
function asServer(requests: readonly object[]) {
	return [calls("mcp__asker__ask", { requests }), says("Done.")];
}

const FIELDS = {
	name: { type: "string", title: "Name", description: "What should it be called?", default: "web" },
	size: { type: "integer", title: "How many?" },
	fast: { type: "boolean", default: true },
	place: {
		type: "string",
		oneOf: [
			{ const: "eu", title: "Europe" },
			{ const: "us", title: "America" },
		],
	},
	parts: { type: "array", items: { type: "string", enum: ["a", "b", "c"] }, default: ["b"] },
};

test("a server's request becomes a question that names the server, which gets the answers as typed values", (t) => {
	const form = {
		message: "Some\u202e facts.",
		requestedSchema: { type: "object", properties: FIELDS, required: ["size"] },
	};
	return withUser(t, asServer([form]), async ({ host }) => {
		answer = () => ({
			choice: "answer",
			answers: {
				name: { chosen: [], text: "api" },
				size: { chosen: [], text: "3" },
				fast: { chosen: ["false"] },
				place: { chosen: ["Europe"] },
				parts: { chosen: ["a", "c"] },
			},
		});
		const content = { name: "api", size: 3, fast: false, place: "eu", parts: ["a", "c"] };
		assert.deepEqual(await ask(host), [{ action: "accept", content }]);
		assert.deepEqual(asked[0]?.subject, {
			kind: "form",
			server: "asker",
			message: "Some facts.",
			questions: [
				{ id: "name", header: "Name", text: "What should it be called?", options: [], input: "text", initial: "web" },
				{ id: "size", text: "How many?", options: [], input: "integer", initial: "", required: true },
				{ id: "fast", text: "fast", options: [{ label: "true", recommended: true }, { label: "false" }] },
				{ id: "place", text: "place", options: [{ label: "Europe" }, { label: "America" }] },
				{
					id: "parts",
					text: "parts",
					options: [{ label: "a" }, { label: "b", recommended: true }, { label: "c" }],
					multiple: true,
				},
			],
		});
	});
});

const PLAIN = { message: "Which?", requestedSchema: { type: "object", properties: { a: { type: "string" } } } };

test("a server that asks for nothing but a yes is accepted or declined", (t) => {
	const form = { message: "Proceed?", requestedSchema: { type: "object", properties: {} } };
	return withUser(t, asServer([form, form]), async ({ host }) => {
		answer = () => (asked.length < 2 ? { choice: "answer" } : { choice: "dismiss" });
		assert.deepEqual(await ask(host), [{ action: "accept", content: {} }, { action: "decline" }]);
		assert.deepEqual(asked[0]?.subject, { kind: "form", server: "asker", message: "Proceed?", questions: [] });
	});
});

test("a server's form that is sent empty is accepted if nothing in it is required, and declined if it is dismissed", (t) => {
	const strict = { ...PLAIN, requestedSchema: { ...PLAIN.requestedSchema, required: ["a"] } };
	return withUser(t, asServer([PLAIN, strict, PLAIN]), async ({ host }) => {
		answer = () => (asked.length < 3 ? { choice: "answer", answers: {} } : { choice: "dismiss" });
		assert.deepEqual(await ask(host), [
			{ action: "accept", content: {} },
			{ action: "decline" },
			{ action: "decline" },
		]);
	});
});

for (const [what, requests, expected] of [
	[
		"for a password, by any name",
		["password", "apiKey", "user_token"].map((name) => ({
			...PLAIN,
			requestedSchema: { type: "object", properties: { [name]: { type: "string" } } },
		})),
		["decline", "decline", "decline"],
	],
	["for a secret in its message", [{ ...PLAIN, message: "Enter your access key" }], ["decline"]],
	[
		"fifty times",
		Array.from({ length: 50 }, () => PLAIN),
		["decline", "decline", "decline", ...Array.from({ length: 47 }, () => "decline")],
	],
	[
		"to open what is no plain https address",
		["http://example.org", "file:///etc/passwd", "https://me:pw@example.org"].map((url) => ({
			mode: "url",
			message: "Open this.",
			elicitationId: "1",
			url,
		})),
		["decline", "decline", "decline"],
	],
] as const) {
	test(`a server that asks ${what} is declined`, (t) =>
		withUser(t, asServer(requests), async ({ host }) => {
			answer = () => ({ choice: "dismiss" });
			const results = (await ask(host)) as readonly { readonly action: string }[];
			assert.deepEqual(
				results.map(({ action }) => action),
				expected,
			);
			assert.ok(asked.length <= 3, "at most three times a call");
			assert.ok(asked.every(({ subject }) => subject.kind === "form" && subject.questions[0]?.id === "a"));
		}));
}

test("an address is shown whole, and the server learns only whether the user opened it", (t) => {
	const request = { mode: "url", message: "Sign in.", elicitationId: "1", url: "https://example.org/in?a=1" };
	return withUser(t, asServer([request, request]), async ({ host }) => {
		const given = ["open", "dismiss"] as const;
		answer = () => ({ choice: given[asked.length - 1] ?? "dismiss" });
		assert.deepEqual(await ask(host), [{ action: "accept" }, { action: "decline" }]);
		const shown = { kind: "address", server: "asker", message: "Sign in.", url: "https://example.org/in?a=1" };
		assert.deepEqual(asked[0]?.subject, shown);
	});
});

test("a server never uses the user's model, and its hints about itself skip no approval", (t) =>
	withUser(t, asServer([{ method: "sampling/createMessage", messages: [], maxTokens: 5 }]), async ({ host, model }) => {
		approved.length = 0;
		assert.deepEqual(await ask(host), [{ error: -32_601 }]);
		assert.deepEqual(approved, ["serverTool"]);
		assert.equal(model.requests.length, 2);
	}));

test("a server is told the workspace folders, that it hears of new ones and may ask questions, and nothing else", (t) =>
	withUser(t, [calls("mcp__asker__declared", {}), says("Done.")], async ({ host }) => {
		assert.deepEqual(await ask(host), { roots: { listChanged: true }, elicitation: { form: {}, url: {} } });
	}));
