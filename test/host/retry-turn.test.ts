import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThreadId, TurnId } from "../../agent-host/protocol/ids.ts";
import { turnInterrupt, turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { calls, holds, refuses, says } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, type HostProcess, runTurn, startHeldTurn } from "../support/host-process.ts";
import { inputLines, type ShownRequest } from "../support/request-page.ts";
import { matchesRequests } from "./rig/scenario.ts";
import { shareHost } from "./rig/share-host.ts";

const withShared = shareHost({});
const PROMPT = "Find the odd walrus.";

async function retry(host: HostProcess, threadId: ThreadId, turnId: TurnId, text = PROMPT) {
	const started = await host.request(turnStart, { threadId, input: [{ kind: "text", text }], repeats: turnId });
	return endOfTurn(host, threadId, started.turnId);
}

/** How often the server reads the prompt, in all the bytes of a request. */
function timesRead(request: ShownRequest | undefined, text = "odd walrus"): number {
	return JSON.stringify((request ?? assert.fail()).body).split(text).length - 1;
}

test("a retried prompt reaches the model once, however often it fails, with the work already done", (t) => {
	const failing = () => refuses(400, "invalid_request_error");
	const script = [calls("read_file", { path: "README.md" }), failing(), failing(), says("Here it is."), says("Bye.")];
	return withShared(t, script, async ({ host, model, world }) => {
		const threadId = await aThread(host);
		const first = await runTurn(host, threadId, PROMPT);
		const second = await retry(host, threadId, first.end.turnId);
		const third = await retry(host, threadId, second.end.turnId);
		assert.deepEqual([first.end.status, second.end.status, third.text], ["failed", "failed", "Here it is."]);
		assert.deepEqual(
			model.requests.map((request) => timesRead(request)),
			[1, 1, 1, 1],
		);
		const lines = inputLines(model.requests[3] ?? assert.fail());
		assert.deepEqual(
			lines.slice(lines.indexOf(`user: ${PROMPT}`)).map((line) => line.split(/[ :]/)[0]),
			[
				"user",
				"call",
				"output",
				...["user/turn-aborted", "user/turn-retried", "user/turn-aborted", "user/turn-retried"],
			],
		);
		const all = ["the prompt", "after a call", "retried", "retried again", "typed again"];
		await runTurn(host, threadId, PROMPT);
		matchesRequests("retried-prompt", model, world, all);
		assert.equal(timesRead(model.requests[4]), 2, "typed again, it is a new prompt");
	});
});

test("retrying a stopped turn does not repeat its prompt; a changed text, or another turn's, is sent", (t) => {
	const step = holds("The first half", " and the rest");
	return withShared(t, [step, says("ok"), says("ok"), says("ok")], async ({ host, model }) => {
		const { threadId, turnId } = await startHeldTurn(host, step, { text: PROMPT });
		await host.request(turnInterrupt, { threadId });
		const again = await retry(host, threadId, turnId);
		assert.equal(timesRead(model.requests[1]), 1);
		await retry(host, threadId, again.end.turnId);
		assert.equal(timesRead(model.requests[2]), 2, "that turn had finished");
		await retry(host, threadId, turnId, "Find another walrus.");
		assert.equal(timesRead(model.requests[3], "another walrus"), 1);
	});
});

test("a retried prompt reaches the model once, also after the host died during the retry", (t) => {
	const [first, second] = [holds("a", "b"), holds("c", "d")];
	return withShared(t, [first, second, says("There.")], async ({ host, another, model }) => {
		const { threadId, turnId } = await startHeldTurn(host, first, { text: PROMPT });
		await host.request(turnInterrupt, { threadId });
		const input = [{ kind: "text" as const, text: PROMPT }];
		const { turnId: retried } = await host.request(turnStart, { threadId, input, repeats: turnId });
		await second.reached;
		await host.killHard();
		const next = await another();
		assert.equal((await retry(next, threadId, retried)).text, "There.");
		assert.equal(timesRead(model.requests[2]), 1);
	});
});
