import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { policyShow } from "../../agent-host/protocol/thread/context.ts";
import { startFakeModel } from "../support/fake-model.ts";
import { says, withUsage } from "../support/fake-model-steps.ts";
import { aThread, type HostProcess, runTurn } from "../support/host-process.ts";
import { shareHost } from "./rig/share-host.ts";
import { pointAt } from "./rig/with-host.ts";

const withShared = shareHost({});

const COUNTED = { input: 5_000, cached: 0, output: 10, reasoning: 0 };
const UNCOUNTED = withUsage(says("Hello."), undefined);
const SCRIPT = [UNCOUNTED, withUsage(says("Again."), COUNTED), UNCOUNTED, withUsage(says("More."), COUNTED)];

async function aCounter(t: TestContext, host: HostProcess, wire: "messages" | "gemini" | "chat", counts?: number) {
	const model = await startFakeModel(SCRIPT, counts === undefined ? {} : { counts });
	t.after(() => model.stop());
	const settings = { model: { wire } };
	const threadId = await aThread(host, { settings: { ...settings, ...pointAt(model, settings) } });
	const usages = () => host.events(threadId).flatMap(({ event }) => (event.type === "usage" ? [event] : []));
	const size = async () => (await host.request(policyShow, { threadId, compiled: false })).context.tokens;
	return { model, threadId, usages, size, say: (text: string) => runTurn(host, threadId, text) };
}

for (const wire of ["messages", "gemini"] as const) {
	test(`${wire}: the provider counts an uncounted context after the turn, once, and the meter shows it`, (t) =>
		withShared(t, [], async ({ host }) => {
			const { model, threadId, usages, size, say } = await aCounter(t, host, wire, 4_321);
			await say("Hello?");
			await host.waitFor(threadId, (event) => event.type === "usage" && !event.estimated);
			assert.deepEqual(
				usages().map(({ estimated, last, total }) => [estimated, last.input === 4_321, total.input]),
				[
					[true, false, usages()[0]?.last.input],
					[false, true, usages()[0]?.last.input],
				],
				"the count is no request of its own in the total",
			);
			assert.equal(await size(), 4_321);
			const [ask] = model.others;
			const [sent] = model.requests;
			assert.match(ask?.path ?? "", /^\/v1\/(?:messages\/count_tokens|models\/fake-1:countTokens)$/);
			const body = ask?.body as Record<string, unknown>;
			const counted = (wire === "gemini" ? body.generateContentRequest : body) as Record<string, unknown>;
			const was = sent?.body as Record<string, unknown>;
			assert.deepEqual([counted.system, counted.systemInstruction], [was.system, was.systemInstruction]);
			assert.deepEqual([counted.max_tokens, counted.stream], [undefined, undefined]);
			assert.match(ask?.text ?? "", /Hello\?.*Hello\./s, "the answer is a part of what comes next");
			await say("Again?");
			assert.equal(model.others.length, 1, "an answer that was counted is not counted again");
			assert.equal(await size(), 5_010);
		}));

	test(`${wire}: a server that cannot count is asked once, and the estimate stays`, (t) =>
		withShared(t, [], async ({ host }) => {
			const { model, usages, say } = await aCounter(t, host, wire);
			await say("Hello?");
			await say("Again?");
			await say("On?");
			// A second question would be here before the end of another turn.
			await say("More?");
			const asked = model.others.filter(({ path }) => /count/i.test(path));
			assert.equal(asked.length, 1);
			assert.deepEqual(
				usages().map(({ estimated }) => estimated),
				[true, false, true, false],
			);
		}));
}

test("a wire without a counting endpoint is not asked to count", (t) =>
	withShared(t, [], async ({ host }) => {
		const { model, say } = await aCounter(t, host, "chat", 4_321);
		await say("Hello?");
		await say("Again?");
		assert.deepEqual(model.others, []);
	}));
