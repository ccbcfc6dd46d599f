import assert from "node:assert/strict";
import { cpSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { hostDoctor } from "../../agent-host/protocol/host/health.ts";
import { hostStatus } from "../../agent-host/protocol/host/host.ts";
import type { PartialSettings } from "../../agent-host/protocol/settings/settings.ts";
import type { TurnErrorCode } from "../../agent-host/protocol/thread/events.ts";
import { threadRead, threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import { turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { startFakeModel } from "../support/fake-model.ts";
import {
	cutsAfter,
	endsWithoutCompleted,
	errsInStream,
	fails,
	failsInStream,
	fallsSilentAfter,
	hangs,
	refuses,
	retryAfter,
	type Step,
	says,
	sendsGarbage,
} from "../support/fake-model-steps.ts";
import { aThread, HOST_BUNDLE, runTurn } from "../support/host-process.ts";
import { durable } from "../support/sigkill-checks.ts";
import { shareHost } from "./rig/share-host.ts";
import { withWorld } from "./rig/with-host.ts";

interface Fault {
	readonly what: string;
	/** The server does this for as long as it is asked. */
	readonly step: Step;
	readonly code: TurnErrorCode;
	/** Most requests that may be made before the turn is given up. */
	readonly requests: number;
	readonly says: RegExp;
	readonly settings?: PartialSettings;
}

const IMPATIENT: PartialSettings = { retry: { idleMs: 700 } };
const PATIENT = { idleMs: 90_000 };

/** One that is too long, those for a summary, and one with what was compacted. */
const REQUESTS_TO_COMPACT = 5;

const FAULTS: readonly Fault[] = [
	{
		what: "a refused key",
		step: refuses(401, "invalid_api_key", "Incorrect API key provided: {key}."),
		code: "auth",
		requests: 1,
		says: /rejected the API key/,
	},
	{ what: "a key without the right", step: refuses(403, "forbidden"), code: "auth", requests: 1, says: /not allow/ },
	{
		what: "a request refused with the key in the reason",
		step: refuses(400, "bad_request", "Your key {key} cannot do that."),
		code: "bad-request",
		requests: 1,
		says: /rejected the request/,
	},
	{
		what: "an unknown model",
		step: refuses(404, "model_not_found"),
		code: "model-not-found",
		requests: 1,
		says: /“fake-1”/,
	},
	{ what: "no quota", step: refuses(429, "insufficient_quota"), code: "rate-limit", requests: 1, says: /quota|limit/ },
	{
		what: "a rate limit of an hour",
		step: retryAfter(429, 3_600),
		code: "rate-limit",
		requests: 1,
		says: /[Rr]ate limited/,
	},
	{
		what: "an endless 429",
		step: refuses(429, "rate_limit_exceeded"),
		code: "rate-limit",
		requests: 5,
		says: /[Rr]ate limited/,
	},
	{ what: "an endless 500", step: fails(500), code: "server", requests: 5, says: /500/ },
	{
		what: "an endless 503 that echoes the key",
		step: refuses(503, "x", "Key {key}."),
		code: "server",
		requests: 5,
		says: /503/,
	},
	{
		what: "a connection that is always cut",
		step: cutsAfter("half", 300),
		code: "network",
		requests: 5,
		says: /connection|lost/i,
	},
	{
		what: "a stream that never completes",
		step: endsWithoutCompleted("half"),
		code: "bad-stream",
		requests: 5,
		says: /ended early/,
	},
	{ what: "garbage", step: sendsGarbage(), code: "bad-stream", requests: 5, says: /invalid response/ },
	{
		what: "a page of HTML",
		step: { kind: "raw", body: "<html>Sign in to the hotel network</html>" },
		code: "bad-stream",
		requests: 5,
		says: /./,
	},
	{
		what: "a server that never answers",
		step: hangs(),
		code: "network",
		requests: 2,
		says: /No response from the model for/,
		settings: IMPATIENT,
	},
	{
		what: "a server that falls silent",
		step: fallsSilentAfter("half"),
		code: "network",
		requests: 2,
		says: /No response from the model for/,
		settings: IMPATIENT,
	},
	{
		what: "a context that is too long",
		step: refuses(400, "context_length_exceeded"),
		code: "context-too-long",
		requests: REQUESTS_TO_COMPACT,
		says: /context window/,
	},
	{
		what: "a context found too long in the stream",
		step: failsInStream("context_length_exceeded"),
		code: "context-too-long",
		requests: REQUESTS_TO_COMPACT,
		says: /context window/,
	},
	{ what: "a failure in the stream", step: failsInStream("server_error"), code: "server", requests: 5, says: /failed/ },
	{ what: "an error event", step: errsInStream("server_error"), code: "server", requests: 5, says: /failed/ },
	{
		what: "a prompt refused in the stream",
		step: failsInStream("invalid_prompt"),
		code: "bad-request",
		requests: 1,
		says: /rejected/,
	},
];

const withShared = shareHost({});

for (const wire of ["responses", "chat"] as const) {
	test(`${wire}: every fault ends the turn with its code and one sentence, and the thread stays usable`, (t) => {
		let step: Step = says("Back again.");
		const script = () => step;
		return withShared(t, script, async ({ host, model }) => {
			for (const { what, code, requests, ...fault } of FAULTS) {
				await t.test(`${wire}: ${what} is “${code}” after at most ${requests} requests`, async () => {
					const before = model.requests.length;
					step = fault.step;
					const threadId = await aThread(host, { settings: { ...fault.settings, model: { wire } } });
					const { end, published } = await runTurn(host, threadId, "hello");
					assert.deepEqual([end.status, end.error?.code], ["failed", code]);
					assert.match(end.error?.message ?? "", fault.says);
					assertOneSentence(end.error?.message ?? "");
					const sent = model.requests.length - before;
					assert.ok(sent <= requests, `${sent} requests`);
					const warnings = published.filter(({ event }) => event.type === "warning" && event.code === code).length;
					if (code !== "context-too-long") assert.equal(warnings, sent - 1, "every new attempt is announced");
					const last = published.findLast(({ event }) => event.type === "retrying")?.event;
					if (last?.type === "retrying" && code !== "context-too-long") {
						assert.deepEqual([last.attempt, last.attempts], [sent, sent], "the last one as the last");
					}

					step = says("Back again.");
					// Only servers known to stay silent get little time: a busy machine is slow to answer too.
					await host.request(threadSettings, { threadId, settings: { retry: PATIENT } });
					assert.equal((await runTurn(host, threadId, "still there?")).text, "Back again.");
					const asked = [...(model.requests.at(-1)?.text.matchAll(/"(?:hello|still there\?)"/g) ?? [])].map(String);
					assert.deepEqual(asked, ['"hello"', '"still there?"']);
					const { events } = await host.request(threadRead, { threadId, limit: 1_000 });
					assert.deepEqual(events, durable(host.events(threadId)), "no record is lost");
					t.diagnostic(`${wire}: ${what}: ${code}, ${sent} requests, ${events.length} records, 0 lost`);
				});
			}
		});
	});
}

test("a refused connection is a network error that names the address", (t) =>
	withShared(t, [], async ({ host }) => {
		const gone = await startFakeModel([]);
		await gone.stop();
		const threadId = await aThread(host, { settings: { model: { baseUrl: gone.baseUrl } } });
		const { end } = await runTurn(host, threadId, "hello");
		assert.deepEqual([end.status, end.error?.code], ["failed", "network"]);
		assert.ok(end.error?.message.includes(new URL(gone.baseUrl).host));
	}));

/** Its client has no key, but the editor's environment has one. */
const withoutKey = shareHost({ key: "none", env: { OPENAI_API_KEY: "from-the-environment" } });

test("without a key the turn fails before any request, and says what to do", (t) =>
	withoutKey(t, [], async ({ host }) => {
		const settings: PartialSettings = { model: { provider: "openai", id: "gpt-5" } };
		const { end } = await runTurn(host, await aThread(host, { settings }), "hello");
		assert.deepEqual([end.status, end.error?.code], ["failed", "auth"]);
		assert.match(end.error?.message ?? "", /No API key is stored.*Set Up Model/);
	}));

test("a server that requires a key when none is stored is distinguished from a refused key", (t) =>
	withoutKey(t, [refuses(401, "missing")], async ({ host }) => {
		const { end } = await runTurn(host, await aThread(host), "hello");
		assert.equal(end.error?.code, "auth");
		assert.match(end.error?.message ?? "", /requires an API key/);
	}));

const UNFINISHED: readonly (readonly [string, PartialSettings])[] = [
	["an address", { model: { provider: "compatible", baseUrl: "", id: "m" } }],
	["a model", { model: { provider: "compatible", id: "", baseUrl: "http://127.0.0.1:9/v1" } }],
];
for (const [what, settings] of UNFINISHED) {
	test(`without ${what} a turn is refused with what to fill in, and nothing is recorded`, (t) =>
		withoutKey(t, [], async ({ host }) => {
			const threadId = await aThread(host, { settings });
			const turn = host.request(turnStart, { threadId, input: [{ kind: "text", text: "hello" }] });
			await assert.rejects(turn, { code: 1007, message: /Set Up Model/ });
			assert.deepEqual(host.events(threadId), []);
		}));
}

test("a host whose files an update removed goes on with its turns, and says in one sentence what it cannot do", (t) =>
	withWorld(t, { script: [says("I go on.")] }, async ({ another, world }) => {
		const folder = join(world.root, "installed");
		cpSync(dirname(HOST_BUNDLE), folder, { recursive: true });
		const host = await another({ program: join(folder, basename(HOST_BUNDLE)) });
		const threadId = await aThread(host);
		rmSync(folder, { recursive: true });
		const { end } = await runTurn(host, threadId, "hello");
		assert.equal(end.status, "completed");
		const refusal = await host.request(hostDoctor, {}).then(() => assert.fail(), String);
		assertOneSentence(refusal);
		assert.equal((await host.request(hostStatus, {})).pid, host.pid);
	}));

test("a redirect is not followed, so the key stays with the server it is for", async (t) => {
	const visits: (string | undefined)[] = [];
	const other = createServer((request, response) => {
		visits.push(request.headers.authorization);
		response.end("{}");
	});
	await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
	t.after(() => other.close());
	const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/v1/responses`;
	const step: Step = { ...refuses(307, "moved"), headers: { location } };
	await withShared(t, [step], async ({ host }) => {
		const { end } = await runTurn(host, await aThread(host), "hello");
		assert.equal(end.status, "failed");
		assert.deepEqual(visits, []);
	});
});

test("API keys in the editor's environment are not used", (t) =>
	withoutKey(t, [says("ok")], async ({ host, model }) => {
		assert.equal((await runTurn(host, await aThread(host), "hello")).text, "ok");
		assert.equal(JSON.stringify(model.requests[0]?.headers).includes("from-the-environment"), false);
	}));

/** A sentence a person can act on: not a stack, not a dump, not a page. */
function assertOneSentence(message: string): void {
	assert.ok(message.length > 10 && message.length < 400, `${message.length} characters`);
	assert.doesNotMatch(message, /\n|\bat \w+ \(|node:|undefined|\[object|\b0 seconds/);
	assert.match(message, /[.!?…]$/);
}
