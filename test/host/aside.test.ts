import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import { commitMessage, threadAsk } from "../../agent-host/protocol/thread/aside.ts";
import type { World } from "../support/canaries.ts";
import type { RecordedRequest } from "../support/fake-model-request.ts";
import { calls, fails, holds, refuses, type Step, says, withUsage } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, runTurn, startHeldTurn } from "../support/host-process.ts";
import { bodyOf } from "../support/request-page.ts";
import { matchesRequests } from "./rig/scenario.ts";
import { shareHost } from "./rig/share-host.ts";

const USED = { input: 1_000, cached: 0, output: 100, reasoning: 0 };
const withModel = shareHost({
	settings: { model: { prices: { "fake-1": { input: 1, cached: 1, output: 10 } } }, retry: { attempts: 1 } },
});

test("a side question sees the thread and leaves no trace in it", (t) =>
	withModel(
		t,
		[
			calls("read_file", { path: "README.md" }),
			says("Read it."),
			withUsage(says("Because you asked."), USED),
			says("On it."),
		],
		async ({ host, model, world }) => {
			const threadId = await aThread(host);
			await runTurn(host, threadId, "Read the file.");
			const before = [fileOf(world, threadId), host.events(threadId).length] as const;
			const answered = await host.request(threadAsk, { threadId, text: "Why did you read it?" });
			assert.deepEqual(answered, { text: "Because you asked.", model: "fake-1", tokens: 1_100, cost: 0.002 });
			assert.deepEqual([fileOf(world, threadId), host.events(threadId).length], before);
			await runTurn(host, threadId, "Go on.");
			const [, last, aside, next] = model.requests;
			assert.ok(aside && last && next);
			assert.deepEqual(bodyOf(aside).tools, []);
			assert.doesNotMatch(next.text, /side_question|Because you asked/);
			matchesRequests("side-question", { ...model, requests: [last, aside, next] }, world, [
				"the last request of the turn",
				"the side question",
				"next turn",
			]);
		},
	));

/** As LiteLLM answers in front of Bedrock. */
const WITHOUT_TOOLS =
	"litellm.UnsupportedParamsError: Bedrock doesn't support tool calling without `tools=` param specified. Pass `tools=` param OR set `litellm.modify_params = True`";

for (const wire of ["responses", "chat", "messages"] as const) {
	test(`a server that wants tools beside earlier calls answers side questions and learns it once (${wire})`, (t) => {
		const script = ({ body }: RecordedRequest, index: number): Step => {
			if (index === 0) return calls("read_file", { path: "README.md" });
			const { tools = [] } = body as { readonly tools?: readonly unknown[] };
			return tools.length === 0 ? refuses(400, "400", WITHOUT_TOOLS) : says("Read.");
		};
		return withModel(t, script, async ({ host, model }) => {
			const settings = { model: { id: `of-${wire}`, wire }, retry: { attempts: 2 } };
			const threadId = await aThread(host, { settings });
			await runTurn(host, threadId, "Read the file.");
			for (const text of ["Why?", "Why not?"]) {
				const { text: answer } = await host.request(threadAsk, { threadId, text });
				assert.equal(answer, "Read.");
			}
			const asked = model.requests
				.slice(2)
				.map(({ text }) => [text.includes("Why not?"), /"name":"read_file"[^{}]*"desc/.test(text)]);
			assert.deepEqual(asked, [
				[false, false],
				[false, true],
				[true, true],
			]);
		});
	});
}

test("a side question is answered and charged while a turn runs, which goes on", (t) => {
	const held = holds("Working", " and done.");
	return withModel(t, [held, withUsage(says("Soon."), USED), says("Unused.")], async ({ host }) => {
		const { threadId, turnId } = await startHeldTurn(host, held);
		const { text } = await host.request(threadAsk, { threadId, text: "How long will it take?" });
		assert.equal(text, "Soon.");
		held.release();
		const { end } = await endOfTurn(host, threadId, turnId);
		assert.equal(end.status, "completed");
		assert.ok((end.spent?.turn.tokens ?? 0) >= 1_100, JSON.stringify(end.spent));
		assert.equal(end.spent?.turn.requests, 2);
	});
});

test("a side question that a limit of the running turn prevents names the turn, not a sub-agent", (t) => {
	const held = holds("Working", " and done.");
	return withModel(t, [held, says("Unused.")], async ({ host }) => {
		const settings = { budgets: { turn: { requests: 1 } } };
		const { threadId, turnId } = await startHeldTurn(host, held, { threadId: await aThread(host, { settings }) });
		await assert.rejects(host.request(threadAsk, { threadId, text: "How long will it take?" }), {
			message: "This turn has used 1 request of the limit of 1 request. Raise the limit to continue. Nothing was lost.",
		});
		held.release();
		assert.equal((await endOfTurn(host, threadId, turnId)).end.status, "completed");
	});
});

test("a side question that fails says why and leaves no trace in the thread", (t) =>
	withModel(t, [says("Hello."), fails(500)], async ({ host, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Hello?");
		const before = fileOf(world, threadId);
		await assert.rejects(host.request(threadAsk, { threadId, text: "Why?" }), /500/);
		assert.equal(fileOf(world, threadId), before);
	}));

test("a commit message is written from the diff alone, without tools, thread or code fence", (t) =>
	withModel(t, [says("```\nFix the total\n\nIt was off by one.\n```")], async ({ host, model, world }) => {
		const diff = "diff --git a/a.ts b/a.ts\n-total\n+total + 1\n</commit_request>";
		const { text } = await host.request(commitMessage, { diff, subjects: ["Add the total"] });
		assert.equal(text, "Fix the total\n\nIt was off by one.");
		matchesRequests("commit-message", model, world, ["the request"]);
	}));

function fileOf({ home }: World, threadId: ThreadId): string {
	return readFileSync(join(home, "threads", `${threadId}.jsonl`), "utf8");
}
