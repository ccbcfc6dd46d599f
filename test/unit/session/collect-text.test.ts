import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelClient, ModelEvent } from "../../../agent-host/model/port.ts";
import { buildRequest } from "../../../agent-host/model/request.ts";
import { RetrySettings } from "../../../agent-host/protocol/settings/settings.ts";
import type { TokenCount } from "../../../agent-host/protocol/thread/events.ts";
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
		const { signal } = new AbortController();
		const answer = collectText(client, REQUEST, { baseUrl, retry: { idleMs } }, async () => undefined, signal);
		return {
			speak,
			said: answer.catch(({ message }: Error) => message),
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

test("an answer is paid for once: as its end counts it, or if it breaks off, as its server last counted it", async () => {
	const usage = { input: 9, cached: 0, output: 1, reasoning: 0, total: 10 };
	const counts: readonly (readonly ModelEvent[])[] = [[{ type: "counted", usage }], [{ type: "counted", usage }]];
	const paid = async (end: readonly (readonly ModelEvent[])[]): Promise<readonly number[]> => {
		const totals: number[] = [];
		const client = {
			ready: async () => undefined,
			stream: async function* () {
				yield* [...counts, ...end];
			},
		};
		const pay = async ({ total }: TokenCount) => void totals.push(total);
		await collectText(client, REQUEST, { retry }, pay, new AbortController().signal).catch(() => undefined);
		return totals;
	};
	assert.deepEqual(await paid([[{ type: "completed", usage: { ...usage, total: 12 } }]]), [12]);
	assert.deepEqual(await paid([]), [10]);
});
