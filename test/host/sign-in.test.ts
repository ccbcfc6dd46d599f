import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { PartialSettings } from "../../agent-host/protocol/settings/settings.ts";
import type { Script } from "../support/fake-model.ts";
import { refuses, says } from "../support/fake-model-steps.ts";
import { aThread, runTurn, type SecretAsk } from "../support/host-process.ts";
import { type SharedTest, shareHost } from "./rig/share-host.ts";
import { type HostTestOptions, withHost } from "./rig/with-host.ts";

const SIGNED_IN: PartialSettings = { model: { auth: "chatgpt" } };
type Secret = NonNullable<HostTestOptions["secret"]>;

let secretNow: Secret = () => ({});
const withShared = shareHost({ settings: SIGNED_IN, secret: (ask) => secretNow(ask) });

/** A host whose client has this to say when it is asked for a key or a sign-in. */
function withSecret(t: TestContext, secret: Secret, script: Script, body: (test: SharedTest) => Promise<void>) {
	secretNow = secret;
	return withShared(t, script, body);
}

const EXPIRED = refuses(401, "token_expired", "The token {key} has expired.");

// Against a server of ours: nothing here was tried with the real service.
test("a sign-in that has expired is renewed once, silently, and its account is named", (t) => {
	const asked: object[] = [];
	const secret = (ask: SecretAsk) => {
		asked.push(ask);
		return { value: ask.renew ? "new-token" : "old-token", account: "account-7" };
	};
	return withSecret(t, secret, [EXPIRED, says("Hello.")], async ({ host, model }) => {
		const { text, published } = await runTurn(host, await aThread(host), "hello");
		const { origin } = new URL(model.baseUrl);
		assert.equal(text, "Hello.");
		assert.deepEqual(asked, [
			{ provider: "chatgpt", origin },
			{ provider: "chatgpt", origin, renew: true },
		]);
		assert.deepEqual(
			model.requests.map(({ headers }) => [headers.authorization, headers["chatgpt-account-id"]]),
			[
				["Bearer old-token", "account-7"],
				["Bearer new-token", "account-7"],
			],
		);
		assert.equal(published.filter(({ event }) => event.type === "warning").length, 0);
		assert.doesNotMatch(host.received.messages.filter((line) => !line.includes('"id"')).join(), /-token/);
	});
});

test("a sign-in that cannot be renewed ends the turn after one request, with what to do and without the token", (t) =>
	withSecret(
		t,
		() => ({ value: "old-token" }),
		[EXPIRED],
		async ({ host, model }) => {
			const { end } = await runTurn(host, await aThread(host), "hello");
			assert.deepEqual([end.error?.code, model.requests.length], ["auth", 1]);
			assert.match(end.error?.message ?? "", /rejected the sign-in \(401\)\. Sign in again/);
		},
	));

test("a key is asked for with its origin, anew for each request, and the newest is what is sent", (t) => {
	const asked: SecretAsk[] = [];
	const secret = (ask: SecretAsk) => ({ value: `key-${asked.push(ask)}` });
	return withHost(t, { script: () => says("Hello."), secret }, async ({ host, model }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "one");
		await runTurn(host, threadId, "two");
		const ask = { provider: "compatible", origin: new URL(model.baseUrl).origin };
		assert.deepEqual(asked, [ask, ask]);
		assert.deepEqual(
			model.requests.map(({ headers }) => headers.authorization),
			["Bearer key-1", "Bearer key-2"],
		);
	});
});

test("a refused API key is not asked for again", (t) => {
	let asked = 0;
	const secret = () => {
		asked += 1;
		return { value: "a-key" };
	};
	return withSecret(t, secret, [refuses(401, "invalid_api_key")], async ({ host, model }) => {
		const threadId = await aThread(host, { settings: { model: { auth: "apiKey" } } });
		assert.equal((await runTurn(host, threadId, "hello")).end.error?.code, "auth");
		assert.deepEqual([asked, model.requests.length], [1, 1]);
	});
});

test("with nobody signed in there is no request", (t) =>
	withSecret(
		t,
		() => ({}),
		[],
		async ({ host, model }) => {
			const { end } = await runTurn(host, await aThread(host), "hello");
			assert.deepEqual([end.error?.code, model.requests.length], ["auth", 0]);
			assert.match(end.error?.message ?? "", /You are not signed in/);
		},
	));
