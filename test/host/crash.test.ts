import assert from "node:assert/strict";
import { test } from "node:test";
import { threadRead, threadResume } from "../../agent-host/protocol/thread/thread.ts";
import { turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, runTurn } from "../support/host-process.ts";
import { bodyOf } from "../support/request-page.ts";
import { withHost } from "./rig/with-host.ts";

const MOST_EVENTS = 16;
const STEP = process.env.VITRINE_FULL === "1" ? 1 : 3;

test("after a kill at any event that a client has seen, the next host has that event and continues the thread", (t) => {
	let afterCrash = false;
	const script = (request: Parameters<typeof bodyOf>[0]) => {
		if (afterCrash) return says("Going on.");
		const answered = bodyOf(request).input.some((item) => item.type === "function_call_output");
		return answered
			? says("It greets people, all of them, every day.", { chunk: 2 })
			: calls("read_file", { path: "README.md" });
	};
	return withHost(t, { script }, async ({ host: first, another }) => {
		let host = first;
		for (let count = 1; count <= MOST_EVENTS; count += STEP) {
			afterCrash = false;
			const threadId = await aThread(host);
			await host.request(turnStart, { threadId, input: [{ kind: "text", text: `kill after ${count}` }] });
			await host.waitFor(threadId, (event) => event.type === "turnCompleted" || host.events(threadId).length >= count);
			await host.killHard();
			const seen = host.events(threadId).filter(({ seq }) => seq !== undefined);

			afterCrash = true;
			host = await another();
			await host.request(threadResume, { threadId });
			const { events } = await host.request(threadRead, { threadId });
			assert.deepEqual(events.slice(0, seen.length), seen, `killed after ${count} events`);
			assert.deepEqual(
				events.map(({ seq }) => seq),
				events.map((_, index) => index + 1),
			);
			assert.equal((await runTurn(host, threadId, "and now?")).text, "Going on.");
		}
	});
});
