import assert from "node:assert/strict";
import { test } from "node:test";
import { hostDoctor } from "../../agent-host/protocol/host/health.ts";
import { modelForgetLessons } from "../../agent-host/protocol/host/host.ts";
import type { RecordedRequest } from "../support/fake-model-request.ts";
import { calls, type Step, says, thinks, together } from "../support/fake-model-steps.ts";
import { aTalk, isCompaction, type Talk } from "./rig/compaction.ts";
import { shareHost } from "./rig/share-host.ts";

// What a server refuses or answers, and the next request that follows from it.

const withShared = shareHost({});

const bodyOf = ({ body }: RecordedRequest) => body as Readonly<Record<string, unknown>>;
const warningsOf = (talk: Talk) => talk.events("warning").map(({ message }) => message);

function refusal(status: number, error: object): Step {
	return { kind: "rawRefusal", status, body: JSON.stringify({ error }) };
}

test("a refused reasoning summary is all that is omitted, appears in the doctor, and is tried again once forgotten", (t) =>
	withShared(t, [], async ({ host, world }) => {
		const refused = refusal(400, {
			message: "Your organization must be verified to generate reasoning summaries.",
			param: "reasoning.summary",
			code: "unsupported_value",
		});
		const hasSummary = (request: RecordedRequest) =>
			(bodyOf(request).reasoning as { summary?: string }).summary !== undefined;
		const script = (request: RecordedRequest) => (hasSummary(request) ? refused : says("Ok."));
		const talk = await aTalk(t, { host, world }, script, { model: { id: "gpt-5.2", reasoningEffort: "high" } });
		assert.equal((await talk.say("hello")).text, "Ok.");
		assert.equal((await talk.say("and now?")).text, "Ok.");
		assert.deepEqual(
			talk.model.requests.map(bodyOf).map(({ reasoning, store }) => [reasoning, store]),
			[
				[{ effort: "high", summary: "auto" }, false],
				[{ effort: "high" }, false],
				[{ effort: "high" }, false],
			],
		);
		assert.match(warningsOf(talk)[0] ?? "", /does not support “reasoning\.summary” with this model, so it is not sent/);
		const { text } = await host.request(hostDoctor, {});
		const { origin } = new URL(talk.model.baseUrl);
		assert.ok(text.includes(`- ${origin}, gpt-5.2: no-reasoning.summary (until `), text);
		assert.match(text, /Forget Learned Server Limits/);
		assert.ok((await host.request(modelForgetLessons, {})).forgotten > 0);
		assert.equal((await talk.say("once more")).text, "Ok.");
		assert.deepEqual(talk.model.requests.map(bodyOf)[3]?.reasoning, { effort: "high", summary: "auto" });
	}));

test("an effort that a model refuses becomes the nearest supported one, and the user is told which", (t) =>
	withShared(t, [], async ({ host, world }) => {
		const refused = refusal(400, {
			message:
				"Unsupported value: 'max' is not supported with this model. Supported values are: 'low', 'medium', 'high'.",
			param: "reasoning.effort",
			code: "unsupported_value",
		});
		const talk = await aTalk(t, { host, world }, [refused, says("Ok.")], {
			model: { id: "private-1", reasoningEffort: "max" },
		});
		assert.equal((await talk.say("hello")).text, "Ok.");
		assert.deepEqual(
			talk.model.requests.map((request) => bodyOf(request).reasoning),
			[
				{ effort: "max", summary: "auto" },
				{ effort: "high", summary: "auto" },
			],
		);
		assert.match(warningsOf(talk)[0] ?? "", /the reasoning effort “max” with this model, so “high” is used/);
	}));

test("a server that rejects “store: false” is never sent a request without it", (t) =>
	withShared(t, [], async ({ host, world }) => {
		const refused = refusal(400, { message: "Unknown parameter: 'store'.", param: "store" });
		const talk = await aTalk(t, { host, world }, () => refused);
		for (const prompt of ["hello", "again"]) {
			const { end } = await talk.say(prompt);
			assert.equal(end.error?.code, "bad-request");
			assert.match(end.error?.message ?? "", /does not support “store: false”, .* Set vitrine\.model\.wire to chat/);
		}
		assert.deepEqual(
			talk.model.requests.map((request) => bodyOf(request).store),
			[false, false],
		);
	}));

test("sealed reasoning that the server can no longer read is left out, and the thread goes on with new reasoning", (t) =>
	withShared(t, [], async ({ host, world }) => {
		const unreadable = refusal(400, {
			message: "The encrypted content gAAA could not be verified.",
			code: "invalid_encrypted_content",
		});
		const read = calls("read_file", { path: "README.md" });
		const [first, second] = [
			together(thinks("Hm."), read),
			together(says("So."), thinks("Hm."), calls("list_files", {})),
		];
		const talk = await aTalk(t, { host, world }, [first, unreadable, second, says("Done.")]);
		assert.equal((await talk.say("hello")).end.status, "completed");
		const sealed = talk.model.requests.map((request) =>
			(bodyOf(request).input as readonly { encrypted_content?: string }[]).flatMap(
				({ encrypted_content: one }) => one ?? [],
			),
		);
		assert.deepEqual(sealed, [[], ["sealed-0"], [], ["sealed-1"]]);
		assert.match(warningsOf(talk)[0] ?? "", /cannot read the model's earlier reasoning, so it is not sent/);
	}));

test("a server without the API is reported by address, with its own words and the setting that helps", (t) =>
	withShared(t, [], async ({ host, world }) => {
		const talk = await aTalk(t, { host, world }, () => ({
			kind: "rawRefusal",
			status: 404,
			body: '{"detail":"Not Found"}',
		}));
		const { end } = await talk.say("hello");
		assert.equal(end.error?.code, "model-not-found");
		assert.match(
			end.error?.message ?? "",
			/has no \/v1\/responses \(404: Not Found\)\. If the server supports the other API, set vitrine\.model\.wire to chat\./,
		);
		assert.equal(talk.model.requests.length, 1);
	}));

test("a request that alone exceeds the tokens per minute is compacted instead of repeated", (t) =>
	withShared(t, [], async ({ host, world }) => {
		const tooLarge = refusal(429, {
			message: "Request too large for m on tokens per min (TPM): Limit 30000, Requested 45000.",
			code: "rate_limit_exceeded",
		});
		let refused = 0;
		const script = (request: RecordedRequest): Step => {
			if (isCompaction(request)) return says("A summary.");
			if (request.text.includes("second") && refused++ === 0) return tooLarge;
			return says("Ok.");
		};
		const talk = await aTalk(t, { host, world }, script);
		await talk.say("first");
		assert.equal((await talk.say("second")).end.status, "completed");
		assert.deepEqual([talk.cards().length, talk.events("retrying").length], [1, 0]);
	}));

test("Gemini signatures and OpenRouter reasoning are sent back in the next request unchanged", (t) =>
	withShared(t, [], async ({ host, world }) => {
		const signature = { google: { thought_signature: "c2lnbmF0dXJl" } };
		const details = [{ type: "reasoning.encrypted", data: "b3BhcXVl", index: 0, format: "google-gemini-v1" }];
		const made = { index: 0, id: "call-1", type: "function", function: { name: "list_files", arguments: "{}" } };
		const chunk = (delta: object, finish: string | null = null) =>
			`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
		const body =
			chunk({ reasoning_details: details }) +
			chunk({ tool_calls: [{ ...made, extra_content: signature }] }, "tool_calls") +
			"data: [DONE]\n\n";
		const talk = await aTalk(t, { host, world }, [{ kind: "raw", body }, says("Done."), says("Still.")], {
			model: { wire: "chat" },
		});
		await talk.say("hello");
		await talk.say("and?");
		const { index: _, ...call } = made;
		const answer = {
			role: "assistant",
			content: "",
			reasoning_details: details,
			tool_calls: [{ ...call, extra_content: signature }],
		};
		for (const request of talk.model.requests.slice(1)) {
			const { messages } = bodyOf(request) as { messages: readonly { role: string }[] };
			assert.equal(JSON.stringify(messages.find(({ role }) => role === "assistant")), JSON.stringify(answer));
		}
	}));

test("an effort known to be unsupported becomes the nearest supported one, and the user is told once", (t) =>
	withShared(t, [], async ({ host, world }) => {
		const talk = await aTalk(t, { host, world }, () => says("Ok."), {
			model: { id: "gpt-5.1", reasoningEffort: "max" },
		});
		await talk.say("hello");
		await talk.say("again");
		assert.deepEqual(
			talk.model.requests.map((request) => bodyOf(request).reasoning),
			[
				{ effort: "high", summary: "auto" },
				{ effort: "high", summary: "auto" },
			],
		);
		assert.deepEqual(warningsOf(talk), ["gpt-5.1 does not support the reasoning effort “max”, so “high” is used."]);
	}));
