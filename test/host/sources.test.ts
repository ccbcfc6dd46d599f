import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { serverList, serverStop } from "../../agent-host/protocol/host/servers.ts";
import { ServersSettings } from "../../agent-host/protocol/settings/server-settings.ts";
import type { Source } from "../../agent-host/protocol/settings/source-settings.ts";
import { contextInspect } from "../../agent-host/protocol/thread/context.ts";
import { threadFork, threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import type { World } from "../support/canaries.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, type HostProcess, runTurn } from "../support/host-process.ts";
import { MCP_SERVER } from "../support/mcp-server.ts";
import { bodyOf } from "../support/request-page.ts";
import { matchesRequests } from "./rig/scenario.ts";
import { shareHost } from "./rig/share-host.ts";

const SETTINGS = {
	model: { contextWindow: 1_000_000 },
	servers: ServersSettings.parse({ fake: { command: process.execPath, args: ["server.mjs"] } }),
};
const asked: string[] = [];
const withSources = shareHost({
	settings: SETTINGS,
	approve: ({ subject, digest }) => {
		asked.push(subject.kind);
		return { decision: "allow", digest };
	},
});

/** A server of the user's, and skills, hooks and agents of the workspace. */
function plant({ workspace }: World): { readonly skills: string; readonly hooks: string; readonly agents: string } {
	const agents = join(workspace, ".claude/agents");
	mkdirSync(agents, { recursive: true });
	writeFileSync(join(agents, "baker.md"), "---\nname: baker\ndescription: Kneads dough.\n---\nKnead.\n");
	const [skills, hooks] = [join(workspace, ".claude/skills"), join(workspace, ".vitrine/hooks.json")];
	mkdirSync(join(skills, "bake"), { recursive: true });
	mkdirSync(join(hooks, ".."), { recursive: true });
	writeFileSync(join(skills, "bake/SKILL.md"), "---\nname: bake\ndescription: Bakes bread.\n---\nBake.\n");
	const command = 'echo \'{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"Hooked."}}\'';
	writeFileSync(hooks, JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command }] }] } }));
	writeFileSync(join(workspace, "server.mjs"), MCP_SERVER);
	return { skills, hooks, agents };
}

async function turnOff(host: HostProcess, threadId: Parameters<typeof runTurn>[1], off: readonly Source[]) {
	await host.request(threadSettings, { threadId, settings: { sources: { off: [...off] } } });
}

async function listed(host: HostProcess, threadId: Parameters<typeof runTurn>[1]) {
	return (await host.request(contextInspect, { threadId })).sources ?? [];
}

test("a source that a thread switches off is withdrawn from the model as a diff, and returns the same way", (t) =>
	withSources(t, [says("One."), says("Two."), says("Three.")], async ({ host, model, world }) => {
		const { skills, hooks, agents } = plant(world);
		const threadId = await aThread(host);
		await runTurn(host, threadId, "First.");
		const on = await listed(host, threadId);
		assert.deepEqual(
			on.map(({ kind, name, isOff }) => [kind, name, isOff]),
			[
				["server", "fake", false],
				["skills", skills, false],
				["hooks", hooks, false],
				["agents", agents, false],
			],
		);
		const [server, skill, hook, agent] = on.map(({ tokens }) => tokens) as [number, number, number, number];
		assert.ok(server > skill && skill > 0 && agent > 0, "each says what it costs in every request");
		assert.equal(hook, 0);
		await turnOff(
			host,
			threadId,
			on.map(({ kind, name }) => ({ kind, name })),
		);
		assert.deepEqual(
			(await listed(host, threadId)).map(({ isOff, tokens }) => [isOff, tokens]),
			[
				[true, server],
				[true, skill],
				[true, 0],
				[true, agent],
			],
			"what is off still says what it would cost",
		);
		await runTurn(host, threadId, "Second.");
		await turnOff(host, threadId, []);
		await runTurn(host, threadId, "Third.");
		matchesRequests("sources-off", model, world, ["all of it", "all of it off", "all of it on again"]);
		const tools = model.requests.map((request) => bodyOf(request).tools.filter(({ name = "" }) => /^mcp__/.test(name)));
		assert.deepEqual(
			tools.map(({ length }) => length),
			[5, 0, 5],
		);
		const hooked = model.requests.map((request) => JSON.stringify(request.body).split("Hooked.").length - 1);
		assert.deepEqual(hooked, [1, 1, 2], "a hook that is off does not run");
	}));

test("a switched off server is not called, and not even started for the thread", (t) =>
	withSources(t, [calls("mcp__fake__echo", { text: "Hi." }), says("Well.")], async ({ host, world }) => {
		plant(world);
		const threadId = await aThread(host, { settings: { sources: { off: [{ kind: "server", name: "fake" }] } } });
		await host.request(serverStop, { name: "fake" });
		asked.length = 0;
		const { published } = await runTurn(host, threadId, "Say hi.");
		assert.match(JSON.stringify(published), /The tool mcp__fake__echo is not available/);
		assert.ok(!asked.includes("serverTool"));
		const { servers } = await host.request(serverList, {});
		assert.deepEqual(
			servers.map(({ name, state }) => [name, state]),
			[["fake", "idle"]],
		);
	}));

test("a source stays off in a fork and after a restart, and no other thread is affected", (t) =>
	withSources(
		t,
		[says("One."), says("Two."), says("Three."), says("Four.")],
		async ({ host, model, world, another }) => {
			const { skills } = plant(world);
			const threadId = await aThread(host);
			const off: readonly Source[] = [{ kind: "skills", name: skills }];
			await turnOff(host, threadId, off);
			await runTurn(host, threadId, "First.");
			const fork = await host.request(threadFork, { threadId });
			await runTurn(host, fork.threadId, "Second.");
			await runTurn(host, await aThread(host), "Other.");
			const restarted = await another();
			assert.deepEqual(
				(await restarted.request(contextInspect, { threadId: fork.threadId })).sources?.filter(({ isOff }) => isOff),
				[{ ...off[0], tokens: (await listed(host, fork.threadId)).find(({ isOff }) => isOff)?.tokens, isOff: true }],
			);
			await restarted.close();
			const known = model.requests.map((request) => JSON.stringify(request.body).includes("Bakes bread."));
			assert.deepEqual(known, [false, false, true]);
		},
	));

test("a sub-agent lacks the sources that its parent has switched off", (t) => {
	const steps = [
		calls("start_agent", { name: "helper", task: "Look around.", role: "explore" }),
		calls("wait_agents", {}),
		says("Done."),
	];
	const script = ({ body }: { readonly body: unknown }) =>
		JSON.stringify(body).includes("Start one.") ? steps.shift() : says("I looked.");
	return withSources(t, script, async ({ host, model, world }) => {
		const { skills } = plant(world);
		const threadId = await aThread(host, { settings: { sources: { off: [{ kind: "skills", name: skills }] } } });
		await runTurn(host, threadId, "Start one.");
		assert.ok(model.requests.some(({ body }) => !JSON.stringify(body).includes("Start one.")));
		assert.ok(model.requests.every((request) => !JSON.stringify(request.body).includes("Bakes bread.")));
	});
});

test("a switched off folder's role is not asked about and cannot be started; switching it on brings it back", (t) => {
	const start = () => calls("start_agent", { name: "bread", task: "Make bread.", role: "baker" });
	const steps = [start(), says("No."), start(), calls("wait_agents", {}), says("Done."), start(), says("No.")];
	const script = ({ body }: { readonly body: unknown }) =>
		JSON.stringify(body).includes("Bake some.") ? (steps.shift() ?? says("Well.")) : says("Kneaded.");
	return withSources(t, script, async ({ host, world }) => {
		const { agents } = plant(world);
		// A file without consent yet.
		writeFileSync(join(agents, "baker.md"), "---\nname: baker\ndescription: Kneads rye dough.\n---\nKnead.\n");
		const off: readonly Source[] = [{ kind: "agents", name: agents }];
		const threadId = await aThread(host, { settings: { sources: { off: [...off] } } });
		asked.length = 0;
		const isRefused = async () => {
			const { published } = await runTurn(host, threadId, "Bake some.");
			assert.match(JSON.stringify(published), /There is no role baker\. Roles: explore, implement, review\./);
		};
		await isRefused();
		assert.deepEqual(asked, []);
		await turnOff(host, threadId, []);
		const again = await runTurn(host, threadId, "Bake some.");
		assert.deepEqual(asked, ["customizations"]);
		assert.match(JSON.stringify(again.published), /Kneaded\./);
		await turnOff(host, threadId, off);
		await isRefused();
	});
});
