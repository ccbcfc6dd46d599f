import assert from "node:assert/strict";
import { test } from "node:test";
import type { Server } from "../../../agent-host/capabilities/servers/server.ts";
import type { PermissionSettings } from "../../../agent-host/protocol/settings/policy-settings.ts";
import { ServersSettings } from "../../../agent-host/protocol/settings/server-settings.ts";
import type { Facts } from "../../../agent-host/session/facts.ts";
import { findInPlaces, listServerPlaces } from "../../../agent-host/session/servers/server-places.ts";
import { createToolServers, type ToolServersOptions } from "../../../agent-host/session/servers/tool-servers.ts";
import { aPolicy } from "../../support/a-policy.ts";
import { type MemoryServer, type MemoryServerOptions, startMemoryServer } from "../../support/memory-server.ts";
import { NO_EDITOR_TOOLS } from "../../support/no-editor.ts";

const NEVER = new AbortController().signal;
const refuse = () => Promise.reject(new Error("nobody is there"));

function withServers(change: Partial<ToolServersOptions> = {}, answer: MemoryServerOptions = {}) {
	const programs: MemoryServer[] = [];
	const facts: Facts = {
		folders: ["/repo"],
		closedFolders: [],
		worktrees: { list: [] },
		trusted: true,
		settings: { servers: ServersSettings.parse({ docs: { command: "docs" } }) },
		documents: new Map(),
		environment: "local",
		asksUser: false,
		knowsLanguages: false,
		hasTools: false,
		surface: { name: "test", version: "1" },
	};
	const toolServers = createToolServers({
		facts,
		ports: {
			now: () => 0,
			setTimer: () => () => undefined,
			log: () => undefined,
			serverInput: async () => undefined,
			newId: () => "id",
			signIn: { credentials: refuse, keepCredentials: refuse, redirect: refuse, authorize: refuse },
			editorTools: NO_EDITOR_TOOLS,
		},
		sandbox: {
			start: async (_, { onData = () => undefined }) => {
				const program = startMemoryServer(onData, answer);
				programs.push(program);
				return program;
			},
		},
		environment: {},
		userHome: "/home/me",
		policy: async () => aPolicy(),
		limits: async () => [],
		look: async () => ({ servers: [], unaskedServers: [] }),
		changed: () => undefined,
		...change,
	});
	return { toolServers, programs, facts };
}

test("a new rule or approval setting ends no running server, but a change of what it may access does", async () => {
	let policy = aPolicy();
	const { toolServers, programs } = withServers({ policy: async () => policy });
	await toolServers.start("docs");
	const endsWith = async (change: Parameters<typeof aPolicy>[0]): Promise<boolean> => {
		policy = aPolicy(change);
		await toolServers.endOutdated();
		return programs[0]?.isRunning() === false;
	};
	const serverTools = [{ server: "docs", tool: "work", definition: "d" }];
	const rules = [{ prefix: ["npm", "test"] }];
	const others: readonly Partial<PermissionSettings>[] = [{ rules }, { serverTools }, { network: "on" }];
	for (const permissions of others) assert.equal(await endsWith({ permissions }), false, JSON.stringify(permissions));
	assert.equal(await endsWith({ approval: "never" }), false);
	assert.equal(await endsWith({ permissions: { denyRead: ["/repo/keys"] } }), true);
});

for (const [what, change, isOver] of [
	["takes something from it", { permissions: { denyRead: ["/repo/keys"] } }, true],
	["only adds to it", { permissions: { writableRoots: ["/other"] } }, false],
] satisfies readonly [string, Parameters<typeof aPolicy>[0], boolean][]) {
	test(`a change of what a server may access that ${what} ends it ${isOver ? "at once" : "after its call"}`, async () => {
		let policy = aPolicy();
		const [heard, wait] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
		const call = async () => {
			heard.resolve();
			await wait.promise;
			return "Done.";
		};
		const { toolServers, programs } = withServers({ policy: async () => policy }, { call });
		const { tools } = await toolServers.observe([], []);
		const called = toolServers.callServer({ tool: tools[0] ?? assert.fail(), input: {} })(NEVER, () => undefined);
		await heard.promise;
		policy = aPolicy(change);
		await toolServers.endOutdated();
		assert.equal(programs[0]?.isRunning(), !isOver);
		wait.resolve();
		assert.equal((await called).ok, !isOver);
		await programs[0]?.ended;
		assert.equal(programs.length, 1);
	});
}

test("a server that the user removes in the middle of a turn ends, and is not called or started again", async () => {
	const { toolServers, programs, facts } = withServers();
	const { tools } = await toolServers.observe([], []);
	const call = () => toolServers.callServer({ tool: tools[0] ?? assert.fail(), input: {} })(NEVER, () => undefined);
	assert.equal((await call()).ok, true);
	facts.settings = {};
	await toolServers.endOutdated();
	const refused = await call();
	assert.match(refused.ok ? "" : refused.reason, /^docs no longer offers work as it did\./);
	assert.deepEqual(
		programs.map((program) => program.isRunning()),
		[false],
	);
});

test("servers are looked for in every folder of the workspace and in worktrees that threads are open in, once each", () => {
	const worktree = { path: "/wt/a/work", folder: "/two", repository: "/two/.git", branch: "b", state: "ready" };
	const facts = { folders: ["/one", "/two"], trusted: true, worktrees: { list: [worktree] } } as never;
	const cwds = [undefined, "/one/src", "/wt/a/work/src", "/wt/a/work", "/elsewhere"];
	assert.deepEqual(listServerPlaces(facts, cwds), ["/one", "/two", "/wt/a/work"]);
	assert.deepEqual(listServerPlaces({ folders: [], trusted: true, worktrees: { list: [] } }, []), [undefined]);
});

test("an unreadable place hides no other, and a server found in two places is listed once", async () => {
	const server = (name: string, path?: string) => ({ name, ...(path && { file: { path } }) }) as Server;
	const found = await findInPlaces(["/one", "/gone", "/two"], async (place) => {
		if (place === "/gone") throw new Error("gone");
		return { servers: [server("plugin"), server("docs", `${place}/.mcp.json`)], unaskedServers: [] };
	});
	assert.deepEqual(found.servers, [
		server("plugin"),
		server("docs", "/one/.mcp.json"),
		server("docs", "/two/.mcp.json"),
	]);
	await assert.rejects(
		findInPlaces(["/gone"], () => Promise.reject(new Error("gone"))),
		/gone/,
	);
});
