import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { threadClose, threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import { startFakeModel } from "../support/fake-model.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, runTurn } from "../support/host-process.ts";
import { bodyOf } from "../support/request-page.ts";
import { type Desk, setUpDesk } from "./rig/command-here.ts";
import { callOverMcp, type McpCaller } from "./rig/mcp-client.ts";
import { withHost } from "./rig/with-host.ts";

const ERA = "modern";

test("a caller cannot open files that its user has closed to reading", async (t) => {
	const desk = await setUpDesk(t, (_, index) =>
		index % 2 === 0 ? calls("read_file", { path: "closed.txt" }) : says("Read."),
	);
	const closed = join(desk.workspace, "closed.txt");
	writeFileSync(closed, "the closed words\n");
	const caller = await startWith(t, desk, { permissions: { denyRead: [closed] } });
	for (const denyRead of [[], ["/nowhere"]]) {
		const { status } = await caller.call("start", { prompt: "Read it.", config: { permissions: { denyRead } } });
		assert.equal(status, "completed");
	}
	const { threadId } = await caller.call("start", {});
	await caller.call("settings", { threadId, settings: { permissions: { denyRead: [] } } });
	assert.equal((await caller.call("turn", { threadId, prompt: "Read it." })).status, "completed");
	const sent = desk.model.requests.map((request) => JSON.stringify(bodyOf(request))).join("\n");
	assert.deepEqual([desk.model.requests.length, sent.includes("the closed words")], [6, false]);
});

test("a caller cannot switch on a tool that its user switched off, or leave plan mode", async (t) => {
	const desk = await setUpDesk(t, () => says("Planned."));
	const caller = await startWith(t, desk, {
		tools: { applyPatch: false, agentDepth: 0 },
		modes: { collaboration: "plan" },
	});
	for (const [config, reason] of [
		[{ tools: { applyPatch: true } }, /tools\.applyPatch/],
		[{ tools: { agentDepth: 1 } }, /tools\.agentDepth/],
		[{ modes: { collaboration: "default" } }, /plan/],
	] as const) {
		const { error } = await caller.call("start", { prompt: "Change it.", config });
		assert.match(error ?? "", reason);
	}
	const config = { tools: { plan: false }, modes: { collaboration: "plan", personality: "concise" } };
	assert.equal((await caller.call("start", { prompt: "Plan it.", config })).text, "Planned.");
});

test("a thread with wider rights in the editor gets no more over MCP than the user allows there", (t) => {
	const write = calls("apply_patch", { patch: "*** Begin Patch\n*** Add File: made.txt\n+x\n*** End Patch\n" });
	const settings = { permissions: { mode: "readOnly" } } as const;
	return withHost(t, { script: [says("Hello."), write, says("Done.")], settings }, async ({ host, world, model }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Hello.");
		const freer = { permissions: { mode: "workspaceWrite", network: "on" } } as const;
		await host.request(threadSettings, { threadId, settings: freer });
		await host.request(threadClose, { threadId });
		const desk = { home: world.home, workspace: world.workspace, model, server: [] };
		const caller = await callOverMcp(desk, { era: ERA, options: ["--mode", "readOnly"] });
		try {
			const { status } = await caller.call("turn", { threadId, prompt: "Change it." });
			assert.deepEqual([status, existsSync(join(world.workspace, "made.txt"))], ["completed", false]);
			const { settings: own } = await caller.call("settings", { threadId });
			assert.deepEqual(own, { permissions: { mode: "readOnly", network: "off" } });
		} finally {
			await caller.close();
		}
	});
});

test("a caller that continues another server's thread does not send its key there", (t) =>
	withHost(t, { script: [says("Hello."), says("Here.")], key: "none" }, async ({ host, world, model }) => {
		const other = await startFakeModel([says("There.")]);
		t.after(() => other.stop());
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Hello.");
		const there = { provider: "compatible", baseUrl: other.baseUrl, id: "other-1" } as const;
		await host.request(threadSettings, { threadId, settings: { model: there } });
		await host.request(threadClose, { threadId });
		const desk = { home: world.home, workspace: world.workspace, model, server: [] };
		const caller = await callOverMcp(desk, { era: ERA, key: "key-of-one-server" });
		try {
			assert.equal((await caller.call("turn", { threadId, prompt: "Are you there?" })).text, "There.");
			assert.equal((await caller.call("start", { prompt: "Are you here?" })).text, "Here.");
		} finally {
			await caller.close();
		}
		const keys = [other, model].map(({ requests }) => requests.at(-1)?.headers.authorization);
		assert.deepEqual(keys, [undefined, "Bearer key-of-one-server"]);
	}));

/** A caller of a Vitrine that its user has started with these settings. */
async function startWith(t: TestContext, desk: Desk, settings: object): Promise<McpCaller> {
	const file = join(desk.workspace, "..", "settings.json");
	writeFileSync(file, JSON.stringify(settings));
	const caller = await callOverMcp(desk, { era: ERA, options: ["--settings", file] });
	t.after(() => caller.close());
	return caller;
}
