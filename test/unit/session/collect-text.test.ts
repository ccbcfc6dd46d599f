import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelClient, ModelEvent } from "../../../agent-host/model/port.ts";
import { buildRequest } from "../../../agent-host/model/request.ts";
import { RetrySettings } from "../../../agent-host/protocol/settings/settings.ts";
import { collectText } from "../../../agent-host/session/thread/collect-text.ts";
import { anEnvelope } from "../../support/an-envelope.ts";

const retry = RetrySettings.parse({});
const REQUEST = buildRequest(anEnvelope(), [{ kind: "userMessage", text: "Sum up." }], []);
const LOCAL = "http://127.0.0.1:8080/v1";

/** A model that says nothing until it is told to. */
function aSlowModel() {
	const { promise, resolve: speak } = Promise.withResolvers<void>();
	async function* stream(_: unknown, signal: AbortSignal): AsyncGenerator<readonly ModelEvent[]> {
		const stopped = new Promise((_resolve, stop) => signal.addEventListener("abort", () => stop(signal.reason)));
		await Promise.race([promise, stopped]);
		yield [{ type: "item", key: "0", item: { kind: "agentMessage", text: "All of it." } }];
		yield [{ type: "completed" }];
	}
	const client: ModelClient = { ready: async () => undefined, stream };
	return { client, speak };
}

test("a request outside a turn's steps waits for a local server's first response as long as a step does", async (t) => {
	t.mock.timers.enable({ apis: ["setTimeout"] });
	const ask = (baseUrl: string, idleMs: number) => {
		const { client, speak } = aSlowModel();
		const answer = collectText(client, REQUEST, { baseUrl, retry: { idleMs } }, new AbortController().signal);
		return {
			speak,
			said: answer.then(
				({ text }) => text,
				({ message }: Error) => message,
			),
		};
	};
	const local = ask(LOCAL, retry.idleMs);
	const others = [ask("https://api.openai.com/v1", retry.idleMs), ask(LOCAL, retry.idleMs - 1)];
	await new Promise(setImmediate);
	t.mock.timers.tick(14 * 60_000);
	for (const { said } of others) assert.match(await said, /^No response from the model for/);
	local.speak();
	assert.equal(await local.said, "All of it.");
});
