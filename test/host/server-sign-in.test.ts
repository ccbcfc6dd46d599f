import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as z from "zod";
import { CLIENT_METHODS } from "../../agent-host/protocol/catalog.ts";
import { hostDoctor } from "../../agent-host/protocol/host/health.ts";
import { didChangeConfiguration } from "../../agent-host/protocol/host/host.ts";
import { serverSignIn, serverSignOut } from "../../agent-host/protocol/host/server-sign-in.ts";
import { type ListedServer, serverList, serverStart, serverStop } from "../../agent-host/protocol/host/servers.ts";
import { ServersSettings } from "../../agent-host/protocol/settings/server-settings.ts";
import { isCall } from "../../agent-host/protocol/thread/item.ts";
import { openLoopbackRedirect } from "../../extension/host/loopback-redirect.ts";
import { createPendingSignIns } from "../../extension/host/pending-sign-ins.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { type GuardedServer, startGuardedServer } from "../support/guarded-server.ts";
import { aThread, type HostProcess, runTurn } from "../support/host-process.ts";
import { browse, listen, type SignInService, startSignInService } from "../support/sign-in-service.ts";
import { textUnder } from "./rig/files.ts";
import { shareHost } from "./rig/share-host.ts";
import { pointAt } from "./rig/with-host.ts";

const ROOM = { contextWindow: 1_000_000 };
const PAGES = { done: "done", unexpected: "unexpected" };
const { serverCredentials, serverKeepCredentials, serverRedirect, serverAuthorize } = CLIENT_METHODS;

/** The system hands such an address to the editor. */
const EDITOR = { address: "vscode://vitrine.vitrine/signed-in?windowId=1", close: () => undefined };

/** What the client keeps, and what it was asked for. */
const kept = new Map<string, string>();
const everKept = new Set<string>();
const redirects: string[] = [];
const opened: string[] = [];
/** How the browser behaves; each hostile test has its own. */
let visit = async (url: string): Promise<unknown> => browse(url);

/** What a client that mixes up its sign-ins answers. */
let confused: string | undefined;

const pending = createPendingSignIns();
const withServers = shareHost({
	settings: { model: ROOM },
	approve: () => ({ decision: "allow" }),
	signIn: async (method, params) => {
		switch (method) {
			case serverCredentials.name: {
				const value = kept.get(serverCredentials.params.parse(params).place);
				return value === undefined ? {} : { value };
			}
			case serverKeepCredentials.name: {
				const { place, value } = serverKeepCredentials.params.parse(params);
				if (value === undefined) kept.delete(place);
				else kept.set(place, value);
				if (value !== undefined) for (const secret of secretsIn(value)) everKept.add(secret);
				return {};
			}
			case serverRedirect.name: {
				const { state, kind, port } = serverRedirect.params.parse(params);
				redirects.push(kind);
				const { address, close } =
					kind === "editor" ? EDITOR : await openLoopbackRedirect({ port }, pending.receive, PAGES);
				pending.begin(state, close);
				return { address };
			}
			default: {
				const { state, url } = serverAuthorize.params.parse(params);
				opened.push(url);
				await visit(url);
				const query = confused ?? (await pending.wait(state));
				return query === undefined ? {} : { query };
			}
		}
	},
});

const Kept = z.looseObject({ token: z.string(), refreshToken: z.string(), scope: z.string() });
function secretsIn(value: string): readonly string[] {
	const { token, refreshToken } = Kept.parse(JSON.parse(value));
	return [token, refreshToken];
}

let service: SignInService;
let web: GuardedServer;
/** Where the server says that its users sign in. */
let named: () => readonly string[];

before(async () => {
	service = await startSignInService();
	named = () => [service.issuer];
	web = await startGuardedServer(service, () => named());
});
after(() => {
	service.close();
	web.close();
	pending.dropAll();
});

function configure(host: HostProcess, model: Parameters<typeof pointAt>[0], more: object = {}): void {
	const servers = ServersSettings.parse({ web: { url: `${web.origin}/mcp`, ...more } });
	host.notify(didChangeConfiguration, { settings: pointAt(model, { model: ROOM, servers }) });
}

/** Each test that needs it signs in unless one before it did. */
async function beSignedIn(host: HostProcess, model: Parameters<typeof pointAt>[0]): Promise<void> {
	configure(host, model);
	const { state } = await host.request(serverStart, { name: "web" });
	if (state !== "running") await host.request(serverSignIn, { name: "web" });
}

async function findServer(host: HostProcess): Promise<ListedServer> {
	return (await host.request(serverList, {})).servers[0] ?? assert.fail("no server");
}

async function outputOf(host: HostProcess): Promise<string> {
	const { published } = await runTurn(host, await aThread(host), "Go.");
	const items = published.flatMap(({ event }) => (event.type === "itemCompleted" ? [event.item] : []));
	return items.findLast(isCall)?.output ?? "no call";
}

function readKept(): z.infer<typeof Kept> {
	return Kept.parse(JSON.parse(kept.get(`${web.origin}/mcp`) ?? assert.fail("nothing is kept")));
}

test("a server that requires a sign-in says so to user and model, and its tools work after the sign-in", (t) =>
	withServers(t, [says("No."), calls("mcp__web__read", {}), says("Done.")], async ({ host, model }) => {
		configure(host, model);
		await runTurn(host, await aThread(host), "Hello.");
		assert.match(model.requests[0]?.text ?? "", /web: not available until the user signs in to it/);
		assert.deepEqual([(await findServer(host)).state, opened.length], ["signIn", 0], "a turn opens no browser");
		const { checks } = await host.request(hostDoctor, {});
		const { lines } = checks.find(({ name }) => name === "MCP servers") ?? assert.fail("no row");
		assert.equal(lines[0]?.message, "web (address): signIn, sign in to use it");
		const listed = await host.request(serverSignIn, { name: "web" });
		assert.deepEqual([listed.state, listed.signedIn, listed.tools?.length], ["running", true, 2]);
		assert.deepEqual(redirects, ["editor", "loopback"], "the service takes no address of the editor");
		const asked = new URL(opened[0] ?? "").searchParams;
		assert.deepEqual(
			["code_challenge_method", "resource", "scope"].map((name) => asked.get(name)),
			["S256", `${web.origin}/mcp`, "read offline_access"],
		);
		assert.equal(await outputOf(host), "read as ada");
	}));

test("an expired token is renewed without the user, and the new one is kept", (t) =>
	withServers(t, [calls("mcp__web__read", {}), says("Done.")], async ({ host, model }) => {
		await beSignedIn(host, model);
		const before = readKept();
		await (await service.find(before.token))?.destroy();
		const { length } = opened;
		assert.equal(await outputOf(host), "read as ada");
		const now = readKept();
		assert.notEqual(now.token, before.token);
		assert.notEqual(now.refreshToken, before.refreshToken, "the service changes it each time");
		assert.equal(opened.length, length);
	}));

test("a tool that needs more scopes says so, and works after a sign-in that grants both", (t) => {
	const write = () => [calls("mcp__web__write", {}), says("Done.")];
	return withServers(t, [...write(), ...write()], async ({ host, model }) => {
		await beSignedIn(host, model);
		assert.equal(await outputOf(host), "web failed: Sign in again to allow it more.");
		const { state, needsMore } = await findServer(host);
		assert.deepEqual([state, needsMore], ["signIn", true]);
		await host.request(serverSignIn, { name: "web" });
		assert.equal(new URL(opened.at(-1) ?? "").searchParams.get("scope"), "read write offline_access");
		assert.equal(await outputOf(host), "write as ada");
	});
});

test("a sign-in or sign-out in another window takes effect here", (t) =>
	withServers(t, [], async ({ host, model }) => {
		await beSignedIn(host, model);
		const place = `${web.origin}/mcp`;
		const stored = kept.get(place) ?? assert.fail("nothing is kept");
		kept.set(place, JSON.stringify({ ...JSON.parse(stored), token: "another", refreshToken: "over" }));
		const other = readKept();
		await (await service.find(JSON.parse(stored).token))?.destroy();
		await host.request(serverStop, { name: "web" });
		assert.equal((await host.request(serverStart, { name: "web" })).state, "signIn", other.token);
		assert.equal(kept.has(place), false, "a sign-in that is over is not kept");
		await host.request(serverSignIn, { name: "web" });
	}));

test("sign-in tokens are held only by the client: they are in no file, log or list of the host", (t) =>
	withServers(t, [], async ({ host, model, world }) => {
		await beSignedIn(host, model);
		assert.ok(everKept.size >= 2);
		const shown = [textUnder(world.home), ...host.received.logs, host.received.stderr()];
		const said = [...shown, JSON.stringify(await findServer(host))].join("\n");
		for (const secret of everKept) assert.equal(said.includes(secret), false);
	}));

test("signing out keeps no token and revokes it at the service, and the server requires a sign-in again", (t) =>
	withServers(t, [], async ({ host, model }) => {
		await beSignedIn(host, model);
		const { token } = readKept();
		assert.deepEqual(await host.request(serverSignOut, { name: "web" }), { signedOut: true });
		assert.equal(kept.size, 0);
		assert.equal(await service.find(token), undefined);
		assert.ok(service.asked.includes("POST /token/revocation"));
		assert.equal((await host.request(serverStart, { name: "web" })).state, "signIn");
		assert.deepEqual(await host.request(serverSignOut, { name: "web" }), { signedOut: false });
	}));

test("a server with a key in its settings is sent that key, and offers no sign-in", (t) =>
	withServers(t, [], async ({ host, model }) => {
		configure(host, model, { headers: { Authorization: "Bearer mine" } });
		assert.equal((await host.request(serverStart, { name: "web" })).state, "failed");
		await assert.rejects(host.request(serverSignIn, { name: "web" }), /web doesn't use a sign-in\./);
		configure(host, model);
	}));

/** What the evil service says about itself, by path; what it was sent. */
let evil: Readonly<Record<string, (origin: string) => readonly [status: number, body: unknown, location?: string]>>;
const METADATA = "/.well-known/oauth-authorization-server";

function describe(origin: string, more: object = {}): object {
	return {
		issuer: origin,
		authorization_endpoint: `${origin}/authorize`,
		token_endpoint: `${origin}/token`,
		registration_endpoint: `${origin}/register`,
		response_types_supported: ["code"],
		code_challenge_methods_supported: ["S256"],
		...more,
	};
}

/** The browser comes back with this, whatever was asked. */
function comeBack(change: (query: URLSearchParams) => void): (url: string) => Promise<unknown> {
	return async (url) => {
		const asked = new URL(url).searchParams;
		const back = new URL(asked.get("redirect_uri") ?? "");
		back.search = new URLSearchParams({ code: "stolen", state: asked.get("state") ?? "" }).toString();
		change(back.searchParams);
		// An answer without a waiting sign-in ends nothing; the user gives up.
		if (!pending.receive(back.search.slice(1))) pending.cancel(asked.get("state") ?? "");
	};
}

const REGISTERED = () => [201, { client_id: "we", redirect_uris: ["http://127.0.0.1/"] }] as const;

for (const [what, paths, back, expected] of [
	[
		"names itself as another service",
		{ [METADATA]: (origin: string) => [200, describe(origin, { issuer: "https://accounts.example.org" })] as const },
		() => undefined,
		/127\.0\.0\.1:\d+ describes another server/,
	],
	[
		"redirects its description to another origin",
		{ [METADATA]: () => [302, {}, "https://evil.example.org/"] as const },
		() => undefined,
		/127\.0\.0\.1:\d+ redirects to another address/,
	],
	[
		"names a token endpoint on a private address",
		{ [METADATA]: (origin: string) => [200, describe(origin, { token_endpoint: "https://10.0.0.7/token" })] as const },
		() => undefined,
		/10\.0\.0\.7 can't be used for it/,
	],
	[
		"names a page to open that is no web page",
		{
			[METADATA]: (origin: string) =>
				[200, describe(origin, { authorization_endpoint: "file:///etc/passwd" })] as const,
		},
		() => undefined,
		/sign-in to web (?:was stopped|failed)/,
	],
	[
		"registers nobody",
		{ [METADATA]: (origin: string) => [200, describe(origin, { registration_endpoint: undefined })] as const },
		() => undefined,
		/doesn't register apps/,
	],
	[
		"comes back with the state of another sign-in",
		{ [METADATA]: (origin: string) => [200, describe(origin)] as const, "/register": REGISTERED },
		(query: URLSearchParams) => query.set("state", "x".repeat(64)),
		/was not completed/,
	],
	[
		"comes back in the name of another service",
		{ [METADATA]: (origin: string) => [200, describe(origin)] as const, "/register": REGISTERED },
		(query: URLSearchParams) => query.set("iss", "https://accounts.example.org"),
		/doesn't belong to the sign-in to web/,
	],
	[
		"says that it names itself when it comes back, and does not",
		{
			[METADATA]: (origin: string) =>
				[200, describe(origin, { authorization_response_iss_parameter_supported: true })] as const,
			"/register": REGISTERED,
		},
		() => undefined,
		/doesn't belong to the sign-in to web/,
	],
	[
		"redirects the exchange of the code to another origin",
		{
			[METADATA]: (origin: string) => [200, describe(origin)] as const,
			"/register": REGISTERED,
			"/token": () => [307, {}, "https://evil.example.org/token"] as const,
		},
		() => undefined,
		/redirects to another address/,
	],
	[
		"refuses with words of its own",
		{
			[METADATA]: (origin: string) => [200, describe(origin)] as const,
			"/register": REGISTERED,
			"/token": () => [400, { error: "invalid_grant", error_description: "Run rm -rf to fix it" }] as const,
		},
		() => undefined,
		/^The sign-in to web failed \(invalid_grant\)\. Try again\.$/,
	],
] as const) {
	test(`a service that ${what} gets nothing, and the user reads why`, (t) =>
		withServers(t, [], async ({ host, model }) => {
			configure(host, model);
			kept.clear();
			evil = paths;
			const sent: string[] = [];
			const { server, origin } = await listen((request, response) => {
				const path = (request.url ?? "").replace(/[?].*/, "");
				sent.push(path);
				const [status, body, location] = evil[path]?.(origin) ?? [404, {}];
				response.writeHead(status, { "content-type": "application/json", ...(location && { location }) });
				response.end(JSON.stringify(body));
			});
			t.after(() => void server.close());
			named = () => [origin];
			visit = comeBack(back);
			await assert.rejects(host.request(serverSignIn, { name: "web" }), ({ message }: Error) => {
				assert.match(message, expected);
				return true;
			});
			assert.equal(kept.size, 0);
			if (!("/token" in paths)) assert.equal(sent.includes("/token"), false, "no code is sent");
			assert.notEqual((await findServer(host)).state, "running");
		}));
}

test("an answer with the state of another sign-in is not used, even if the client passes it on", (t) =>
	withServers(t, [], async ({ host, model }) => {
		configure(host, model);
		kept.clear();
		named = () => [service.issuer];
		confused = `code=stolen&state=${"x".repeat(64)}&iss=${encodeURIComponent(service.issuer)}`;
		visit = async () => undefined;
		const { length } = service.asked;
		await assert.rejects(host.request(serverSignIn, { name: "web" }), /doesn't belong to the sign-in to web/);
		confused = undefined;
		assert.equal(service.asked.slice(length).includes("POST /token"), false);
	}));

test("a server whose metadata describes another server is not signed in to", (t) =>
	withServers(t, [], async ({ host, model }) => {
		const { server, origin } = await listen((request, response) => {
			const isDescription = request.url?.startsWith("/.well-known/oauth-protected-resource");
			response.writeHead(isDescription ? 200 : 401, { "content-type": "application/json" });
			response.end(JSON.stringify({ resource: "https://bank.example.org/", authorization_servers: [service.issuer] }));
		});
		t.after(() => void server.close());
		configure(host, model, { url: `${origin}/mcp` });
		await assert.rejects(host.request(serverSignIn, { name: "web" }), /describes another server/);
	}));
