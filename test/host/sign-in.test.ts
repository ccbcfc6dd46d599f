import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import type * as vscode from "vscode";
import { CLIENT_METHODS } from "../../agent-host/protocol/catalog.ts";
import { modelList, modelSignIn, modelSignOut } from "../../agent-host/protocol/host/host.ts";
import { hostTraces } from "../../agent-host/protocol/host/telemetry.ts";
import type { PartialSettings } from "../../agent-host/protocol/settings/settings.ts";
import { createKeys } from "../../extension/facts/keys.ts";
import { createServerCredentials } from "../../extension/facts/server-credentials.ts";
import { openLoopbackRedirect } from "../../extension/host/loopback-redirect.ts";
import { createPendingSignIns } from "../../extension/host/pending-sign-ins.ts";
import type { Script } from "../support/fake-model.ts";
import { calls, refuses, says } from "../support/fake-model-steps.ts";
import { aThread, type HostProcess, runTurn, type SecretAsk } from "../support/host-process.ts";
import { type PlanService, startPlanService } from "../support/plan-service.ts";
import { browse } from "../support/sign-in-service.ts";
import { type SharedTest, shareHost } from "./rig/share-host.ts";
import { withHost } from "./rig/with-host.ts";

const PAGES = { done: "done", unexpected: "unexpected" };
const { serverCredentials, serverKeepCredentials, serverRedirect, serverAuthorize } = CLIENT_METHODS;

/** The editor's two storages, which all windows share. */
const secrets = new Map<string, string>();
const state = new Map<string, unknown>();
const secretStorage = {
	get: async (name: string) => secrets.get(name),
	store: async (name: string, value: string) => void secrets.set(name, value),
	delete: async (name: string) => void secrets.delete(name),
};
const memento = {
	get: (name: string) => state.get(name) as never,
	update: async (name: string, value: unknown) => void state.set(name, value),
};
const keys = createKeys(secretStorage as unknown as vscode.SecretStorage, memento as unknown as vscode.Memento);
const credentials = createServerCredentials(secretStorage, keys);
const pending = createPendingSignIns();
const redirects: string[] = [];
/** How the browser behaves; each hostile test has its own. */
let visit = async (url: string): Promise<unknown> => browse(url);

let service: PlanService;
let modelBaseUrl = "";
const withShared = shareHost({
	signIn: async (method, params) => {
		switch (method) {
			case serverCredentials.name: {
				const value = await credentials.get(serverCredentials.params.parse(params).place);
				return value === undefined ? {} : { value };
			}
			case serverKeepCredentials.name: {
				const { place, value } = serverKeepCredentials.params.parse(params);
				await credentials.keep(place, value);
				return {};
			}
			case serverRedirect.name: {
				const { state: own, kind, port, path } = serverRedirect.params.parse(params);
				const { address, close } = await openLoopbackRedirect({ port, path }, pending.receive, PAGES);
				redirects.push(`${kind} ${address}`);
				pending.begin(own, close);
				return { address };
			}
			default: {
				const { state: own, url, plan } = serverAuthorize.params.parse(params);
				assert.equal(plan, "chatgpt");
				await visit(url);
				const query = await pending.wait(own);
				return query === undefined ? {} : { query };
			}
		}
	},
	key: "none",
});

before(async () => {
	service = await startPlanService(() => modelBaseUrl);
});
after(() => {
	service.close();
	pending.dropAll();
});

function settings(): PartialSettings {
	const model = { provider: "compatible", auth: "chatgpt", wire: "responses", baseUrl: service.baseUrl } as const;
	return { model: { ...model, id: "gpt-5-fake", contextWindow: 400_000 } };
}

interface PlanTest extends SharedTest {
	readonly signIn: () => Promise<unknown>;
	readonly turn: (host?: HostProcess) => ReturnType<typeof runTurn>;
}

/** A host whose server signs in its users with a plan. */
function withPlan(t: TestContext, script: Script, body: (test: PlanTest) => Promise<void>): Promise<void> {
	Object.assign(service, { answers: {}, claims: {}, tokens: {}, back: () => undefined });
	visit = async (url) => browse(url);
	return withShared(t, script, async (rig) => {
		modelBaseUrl = rig.model.baseUrl;
		await body({
			...rig,
			signIn: () => rig.host.request(modelSignIn, { settings: settings() }),
			turn: async (host = rig.host) => runTurn(host, await aThread(host, { settings: settings() }), "hello"),
		});
	});
}

const signOut = (host: HostProcess) => host.request(modelSignOut, { origin: service.origin });
const asked = (what: string) => service.asked.filter((one) => one === what).length;

/** What the editor keeps for the sign-in. */
function readKept(): Record<string, unknown> {
	return JSON.parse(secrets.get(`vitrine.token:${service.origin}`) ?? assert.fail("nothing is kept"));
}

function changeKept(change: object): void {
	secrets.set(`vitrine.token:${service.origin}`, JSON.stringify({ ...readKept(), ...change }));
}

// These run against our own server, never against the real service.
test("with nobody signed in no request is sent", (t) =>
	withPlan(t, [], async ({ turn, model }) => {
		const { end } = await turn();
		assert.deepEqual([end.error?.code, model.requests.length], ["auth", 0]);
		assert.match(end.error?.message ?? "", /You are not signed in/);
	}));

test("a sign-in registers a new app, returns to this machine, and its token opens the models", (t) =>
	withPlan(t, [calls("list_files", {}), says("Hello.")], async ({ signIn, turn, host, model }) => {
		await signIn();
		const [asking] = service.forms;
		assert.deepEqual(
			["client_id", "agent_name_hint", "code_challenge_method", "response_type", "resource"].map((one) =>
				asking?.get(one),
			),
			["dynamic_agent_client", "Vitrine", "S256", "code", service.baseUrl],
		);
		assert.match(redirects.at(-1) ?? "", /^loopback http:\/\/127\.0\.0\.1:\d+\/auth\/callback$/);
		assert.match(asking?.get("scope") ?? "", /offline_access.* chatgpt\.tokens\.use\.direct$/);
		assert.match(asking?.get("ext_agent_host_id") ?? "", /^\w{64}$/);
		await assert.rejects(fetch((redirects.at(-1) ?? "").replace("loopback ", "")), "nothing listens any more");
		const { models } = await host.request(modelList, { settings: settings() });
		assert.deepEqual(
			models.map(({ id }) => id),
			["gpt-6-sol"],
		);
		assert.equal((await turn()).text, "Hello.");
		const [first, second] = model.requests.map(
			({ body }) => body as Record<string, readonly Record<string, unknown>[]>,
		);
		assert.deepEqual(
			first?.tools?.map(({ type, name }) => [type, name]),
			[["namespace", "vitrine"]],
		);
		const call = second?.input?.find(({ type }) => type === "function_call");
		assert.deepEqual([call?.name, call?.namespace], ["list_files", "vitrine"]);
	}));

test("the next sign-in reuses the app that the service knows", (t) =>
	withPlan(t, [], async ({ signIn }) => {
		await signIn();
		const asking = service.forms.findLast((form) => form.has("code_challenge"));
		assert.deepEqual(
			["client_id", "ext_agent_host_id"].map((one) => asking?.get(one)),
			["agent_client_7", null],
		);
	}));

test("a token about to expire is renewed before it is sent, and the new one is kept", (t) =>
	withPlan(
		t,
		() => says("Hello."),
		async ({ signIn, turn }) => {
			await signIn();
			const first = readKept();
			changeKept({ endsAt: Date.now() + 60_000 });
			assert.equal((await turn()).text, "Hello.");
			const second = readKept();
			assert.notEqual(second.token, first.token);
			assert.notEqual(second.refreshToken, first.refreshToken);
			assert.ok(Number(second.endsAt) > Date.now() + 3_000_000);
		},
	));

test("a refused token is renewed once, silently", (t) =>
	withPlan(
		t,
		() => says("Hello."),
		async ({ signIn, turn }) => {
			await signIn();
			service.valid.clear();
			const { length } = service.asked;
			const { text, published } = await turn();
			assert.equal(text, "Hello.");
			assert.equal(published.filter(({ event }) => event.type === "warning").length, 0);
			assert.deepEqual(
				service.asked.slice(length).filter((one) => !one.includes("well-known")),
				["POST /v1/responses", "POST /token refresh_token", "POST /v1/responses"],
			);
		},
	));

test("two windows whose token expires at the same time renew it once, and both continue", (t) =>
	withPlan(
		t,
		() => says("Hello."),
		async ({ signIn, turn, host, beside }) => {
			const other = await beside();
			await signIn();
			service.valid.clear();
			const before = asked("POST /token refresh_token");
			const ends = await Promise.all([turn(host), turn(other), turn(host)]);
			assert.deepEqual(
				ends.map(({ text }) => text),
				["Hello.", "Hello.", "Hello."],
			);
			assert.equal(asked("POST /token refresh_token") - before, 1);
			assert.equal(
				[...secrets.keys()].some((name) => name.includes("lease")),
				false,
				"nothing is left of the lease",
			);
		},
	));

test("a window that died while renewing does not block the others for ever", (t) =>
	withPlan(
		t,
		() => says("Hello."),
		async ({ signIn, turn }) => {
			await signIn();
			service.valid.clear();
			const left = JSON.stringify({ owner: "gone", until: Date.now() - 1 });
			secrets.set(`vitrine.serverCredentials:lease of chatgpt ${service.origin}`, left);
			assert.equal((await turn()).text, "Hello.");
		},
	));

test("a sign-in that the service has ended says so, and a new one works in the same thread", (t) =>
	withPlan(
		t,
		() => says("Hello."),
		async ({ signIn, host }) => {
			await signIn();
			service.valid.clear();
			changeKept({ refreshToken: "over" });
			const threadId = await aThread(host, { settings: settings() });
			const { end } = await runTurn(host, threadId, "hello");
			assert.equal(end.error?.code, "auth");
			assert.match(end.error?.message ?? "", /rejected the sign-in \(401\)\. Sign in again/);
			assert.equal(secrets.has(`vitrine.token:${service.origin}`), false, "what is over is not kept");
			assert.deepEqual(keys.list(), []);
			await signIn();
			assert.equal((await runTurn(host, threadId, "again")).text, "Hello.");
		},
	));

for (const [what, answer] of [
	["fails", { status: 503, body: "<html><b>down</b></html>" }],
	["redirects", { status: 307, headers: { location: "https://evil.example.org/token" } }],
	["sends far too much", { body: `{"access_token":"${"x".repeat(400_000)}"}` }],
	["answers with a page", { body: "<html>Please sign in</html>" }],
	["limits the rate", { status: 429, body: '{"error":{"code":"slow_down"}}' }],
] as const) {
	test(`a failed renewal by a service that ${what} is one sentence and ends no sign-in; the next turn goes on`, (t) =>
		withPlan(
			t,
			() => says("Hello."),
			async ({ signIn, turn, host }) => {
				await signIn();
				service.valid.clear();
				service.answers = { "/token": answer };
				const threadId = await aThread(host, { settings: { ...settings(), retry: { attempts: 1 } } });
				const { end } = await runTurn(host, threadId, "hello");
				assert.match(
					end.error?.message ?? "",
					/^127\.0\.0\.1:\d+ didn't renew your ChatGPT sign-in this time\. You are still signed in; try again\.$/,
				);
				service.answers = {};
				assert.equal((await turn()).text, "Hello.");
			},
		));
}

test("signing out tells the service, leaves no token, and the next turn requires a sign-in", (t) =>
	withPlan(t, [], async ({ signIn, turn, host }) => {
		await signIn();
		const { refreshToken } = readKept();
		assert.deepEqual(keys.list(), [{ kind: "token", origin: service.origin }]);
		assert.deepEqual(await signOut(host), { signedOut: true });
		assert.equal(service.forms.at(-1)?.get("token"), refreshToken);
		assert.deepEqual([keys.list(), JSON.stringify([...secrets]).includes("canary")], [[], false]);
		assert.match((await turn()).end.error?.message ?? "", /You are not signed in/);
		assert.deepEqual(await signOut(host), { signedOut: false });
	}));

test("a sign-out in another window takes effect at once", (t) =>
	withPlan(
		t,
		() => says("Hello."),
		async ({ signIn, turn, host, beside }) => {
			await signIn();
			assert.equal((await turn()).text, "Hello.");
			await signOut(await beside());
			assert.match((await turn(host)).end.error?.message ?? "", /You are not signed in/);
		},
	));

test("tokens are in no file, log, event or trace of the host", (t) =>
	withPlan(
		t,
		() => says("Hello."),
		async ({ signIn, turn, host, world }) => {
			await signIn();
			service.valid.clear();
			await turn();
			changeKept({ refreshToken: "over" });
			service.valid.clear();
			await turn();
			const files = readdirSync(world.home, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
			const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1"));
			const events = host.received.messages.filter((line) => !line.includes("server/keepCredentials"));
			const { spans } = await host.request(hostTraces, {});
			const all = [...texts, ...host.received.logs, host.received.stderr(), ...events, JSON.stringify(spans)].join(
				"\n",
			);
			assert.ok(service.given.size > 10);
			for (const secret of service.given) assert.equal(all.includes(secret), false, secret);
		},
	));

const MARKUP = "<img src=x onerror=alert(1)>[x](command:evil)";
const BROKEN: readonly (readonly [what: string, change: Partial<PlanService>, expected: RegExp])[] = [
	["comes back with another state", { back: (query) => query.set("state", "x".repeat(64)) }, /was not completed/],
	[
		"comes back in another's name",
		{ back: (query) => query.set("iss", "https://accounts.example.org") },
		/doesn't belong to the sign-in to ChatGPT/,
	],
	[
		"comes back with a refusal",
		{ back: (query) => refuse(query, "access_denied") },
		/^The sign-in to ChatGPT was not completed\.$/,
	],
	["refuses with markup", { back: (query) => refuse(query, MARKUP) }, /^The sign-in to ChatGPT was not completed\.$/],
	[
		"refuses with a code",
		{ back: (query) => refuse(query, "temporarily_unavailable") },
		/failed \(temporarily_unavailable\)\. Try again\.$/,
	],
	["issues an id with markup", { back: (query) => query.set("client_id", MARKUP) }, /didn't answer as expected/],
	["comes back with another's code", { back: (query) => query.set("code", "stolen") }, /failed \(invalid_grant\)/],
	["grants no plan", { tokens: { scope: "openid profile" } }, /didn't allow Vitrine to use your plan/],
	["names another sign-in in its ID token", { claims: { nonce: "other" } }, /doesn't belong to the sign-in to ChatGPT/],
	["names another app in its ID token", { claims: { aud: "other" } }, /doesn't belong to the sign-in to ChatGPT/],
	["sends an ID token that has ended", { claims: { exp: 1 } }, /doesn't belong to the sign-in to ChatGPT/],
	["sends no ID token", { tokens: { id_token: undefined } }, /doesn't belong to the sign-in to ChatGPT/],
	["sends no token", { tokens: { access_token: undefined } }, /didn't answer as expected/],
	[
		"redirects the exchange",
		{ answers: { "/token": { status: 307, headers: { location: "https://evil.example.org/" } } } },
		/redirects to another address/,
	],
	[
		"answers the exchange with a page",
		{ answers: { "/token": { body: `<html>${MARKUP}</html>` } } },
		/didn't answer as expected/,
	],
	[
		"answers the exchange with too much",
		{ answers: { "/token": { body: `{"x":"${"x".repeat(400_000)}"}` } } },
		/didn't answer as expected/,
	],
	[
		"describes itself as another",
		{ answers: { "/.well-known/oauth-authorization-server": () => describe({ issuer: "https://evil.example.org" }) } },
		/describes another server/,
	],
	[
		"has its tokens elsewhere",
		{
			answers: {
				"/.well-known/oauth-authorization-server": (): object =>
					describe({ issuer: service.origin, token_endpoint: "https://evil.example.org/token" }),
			},
		},
		/evil\.example\.org can't be used/,
	],
	[
		"describes nothing",
		{ answers: { "/.well-known/oauth-authorization-server": { status: 404 } } },
		/didn't answer as expected/,
	],
];

function refuse(query: URLSearchParams, error: string): void {
	query.delete("code");
	query.set("error", error);
}

function describe(more: Readonly<Record<string, string>>): { readonly body: string } {
	const all = {
		authorization_endpoint: `${service.origin}/authorize`,
		token_endpoint: `${service.origin}/token`,
		...more,
	};
	return {
		body: JSON.stringify({ ...all, response_types_supported: ["code"], code_challenge_methods_supported: ["S256"] }),
	};
}

for (const [what, change, expected] of BROKEN) {
	test(`a service that ${what} signs nobody in: one sentence without its words, and the previous sign-in stays`, (t) =>
		withPlan(
			t,
			() => says("Hello."),
			async ({ signIn, turn }) => {
				await signIn();
				const before = readKept();
				Object.assign(service, change);
				visit = async (url) => {
					const own = new URL(url).searchParams.get("state") ?? "";
					const page = await browse(url).catch(() => undefined);
					// An answer without a waiting sign-in ends nothing; the user gives up.
					if (page?.status !== 200) pending.cancel(own);
				};
				await assert.rejects(signIn(), ({ message }: Error) => {
					assert.match(message, expected);
					assert.doesNotMatch(message, /<|evil\)|canary/);
					return true;
				});
				assert.deepEqual(readKept(), before, "nothing is lost");
				assert.equal((await turn()).text, "Hello.");
			},
		));
}

test("a second callback finds no waiting sign-in, and changes nothing", (t) =>
	withPlan(
		t,
		() => says("Hello."),
		async ({ signIn, turn }) => {
			let again: Promise<number> | undefined;
			visit = async (url) => {
				const first = await browse(url);
				again = fetch(first.url).then(
					({ status }) => status,
					() => 0,
				);
				await again;
			};
			await signIn();
			assert.ok([0, 404].includes((await again) ?? -1));
			assert.equal((await turn()).text, "Hello.");
		},
	));

test("a server elsewhere offers no ChatGPT sign-in", (t) =>
	withPlan(t, [], async ({ host }) => {
		const elsewhere = { model: { ...settings().model, baseUrl: "https://models.example.org/v1" } };
		await assert.rejects(
			host.request(modelSignIn, { settings: elsewhere }),
			/^https:\/\/models\.example\.org has no sign-in with ChatGPT\. Use an API key there\.$|has no sign-in with ChatGPT/,
		);
	}));

test("the key is requested with its origin, anew for each request, and the newest one is sent", (t) => {
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

test("a refused API key is not requested again", (t) => {
	let asked = 0;
	const secret = () => {
		asked += 1;
		return { value: "a-key" };
	};
	return withHost(t, { script: [refuses(401, "invalid_api_key")], secret }, async ({ host, model }) => {
		const threadId = await aThread(host);
		assert.equal((await runTurn(host, threadId, "hello")).end.error?.code, "auth");
		assert.deepEqual([asked, model.requests.length], [1, 1]);
	});
});
