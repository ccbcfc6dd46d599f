import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type McpServer, methods, type PromptRequest } from "@agentclientprotocol/sdk";
import { until } from "../support/editor-until.ts";
import { calls, callsAll, hangs, holds, refuses, says } from "../support/fake-model-steps.ts";
import { openAcpEditor } from "./rig/acp-client.ts";
import { type Desk, setUpDesk } from "./rig/command-here.ts";
import { isCompaction } from "./rig/compaction.ts";
import { agent as agentCall, play, whoAsks } from "./rig/play-agents.ts";

const { session: on, initialize } = methods.agent;
const HELLO = { protocolVersion: 1, clientCapabilities: {} };
const prompts = (sessionId: string, text: string): PromptRequest => ({ sessionId, prompt: [{ type: "text", text }] });

async function meetAgent(t: TestContext, desk: Desk) {
	const { agent, close } = await openAcpEditor(desk, () => undefined);
	t.after(close);
	await agent.request(initialize, HELLO);
	return agent;
}

test("a prompt cancelled during a compaction, or by cancelling its request, ends as cancelled and not as an error", async (t) => {
	const desk = await setUpDesk(t, (request, index) => (isCompaction(request) || index > 1 ? hangs() : says("Hello.")));
	const agent = await meetAgent(t, desk);
	const { sessionId } = await agent.request(on.new, { cwd: desk.workspace, mcpServers: [] });
	for (const text of ["One.", "Two."]) await agent.request(on.prompt, prompts(sessionId, text));
	const compacting = agent.request(on.prompt, prompts(sessionId, "/compact"));
	await until("the model is asked for a summary", () => desk.model.requests.length === 3);
	await agent.notify(on.cancel, { sessionId });
	assert.equal((await compacting).stopReason, "cancelled");
	const giveUp = new AbortController();
	const asking = agent.request(on.prompt, prompts(sessionId, "Three."), { cancellationSignal: giveUp.signal });
	await until("the model is asked", () => desk.model.requests.length === 4);
	giveUp.abort();
	assert.equal((await asking).stopReason, "cancelled");
});

test("two prompts of a session that run at once report each update only once", async (t) => {
	const held = holds("Working", " on it.");
	const desk = await setUpDesk(t, (request, index) => (isCompaction(request) || index === 0 ? says("Hello.") : held));
	const { agent, updates, close } = await openAcpEditor(desk, () => undefined);
	t.after(close);
	await agent.request(initialize, HELLO);
	const { sessionId } = await agent.request(on.new, { cwd: desk.workspace, mcpServers: [] });
	await agent.request(on.prompt, prompts(sessionId, "One."));
	const working = agent.request(on.prompt, prompts(sessionId, "Two."));
	await held.reached;
	const compacting = agent.request(on.prompt, prompts(sessionId, "/compact"));
	await assert.rejects(agent.request(on.prompt, prompts(sessionId, "Three.")), /A turn is running in this thread/);
	held.release();
	assert.deepEqual([(await working).stopReason, (await compacting).stopReason], ["end_turn", "end_turn"]);
	const said = updates.flatMap((update) =>
		update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? [update.content.text] : [],
	);
	assert.equal(said.join("").match(/ on it\./g)?.length, 1);
});

test("a call that waited for approval is in progress again while it runs, and a denied one is not", async (t) => {
	const steps = [calls("run_command", { command: "true" }), calls("run_command", { command: "false" }), says("Done.")];
	const desk = await setUpDesk(t, (_, index) => steps[index]);
	const choices = ["allow", "deny"];
	const { agent, updates, close } = await openAcpEditor(desk, () => choices.shift(), ["--approval", "untrusted"]);
	t.after(close);
	await agent.request(initialize, HELLO);
	const { sessionId } = await agent.request(on.new, { cwd: desk.workspace, mcpServers: [] });
	await agent.request(on.prompt, prompts(sessionId, "Run them."));
	const states = new Map<string, unknown[]>();
	for (const update of updates) {
		if (update.sessionUpdate !== "tool_call" && update.sessionUpdate !== "tool_call_update") continue;
		states.set(update.toolCallId, [...(states.get(update.toolCallId) ?? []), update.status]);
	}
	assert.deepEqual(
		[...states.values()],
		[
			["in_progress", "pending", "in_progress", "completed"],
			["in_progress", "pending", "failed"],
		],
	);
});

test("a session at work cannot be loaded in another folder, and can still be cancelled", async (t) => {
	const desk = await setUpDesk(t, (_, index) => (index === 0 ? hangs() : says("Here.")));
	const other = join(desk.workspace, "..", "another folder");
	mkdirSync(other);
	const agent = await meetAgent(t, desk);
	const { sessionId } = await agent.request(on.new, { cwd: desk.workspace, mcpServers: [] });
	const running = agent.request(on.prompt, prompts(sessionId, "One."));
	await until("the model is asked", () => desk.model.requests.length === 1);
	const elsewhere = { sessionId, cwd: other, mcpServers: [] };
	await assert.rejects(agent.request(on.load, elsewhere), /running/);
	await agent.notify(on.cancel, { sessionId });
	assert.equal((await running).stopReason, "cancelled");
	await agent.request(on.load, elsewhere);
	assert.equal((await agent.request(on.prompt, prompts(sessionId, "Two."))).stopReason, "end_turn");
});

test("a session can be deleted while it is open, at work or without a prompt, and when it is already gone", async (t) => {
	const desk = await setUpDesk(t, () => hangs());
	const agent = await meetAgent(t, desk);
	const { sessionId } = await agent.request(on.new, { cwd: desk.workspace, mcpServers: [] });
	const running = agent.request(on.prompt, prompts(sessionId, "One."));
	await until("the model is asked", () => desk.model.requests.length === 1);
	await agent.request(on.delete, { sessionId });
	assert.equal((await running).stopReason, "cancelled");
	assert.deepEqual((await agent.request(on.list, {})).sessions, []);
	await agent.request(on.delete, { sessionId });
	await assert.rejects(agent.request(on.prompt, prompts(sessionId, "Two.")), /is not open/);
	const { sessionId: empty } = await agent.request(on.new, { cwd: desk.workspace, mcpServers: [] });
	await agent.request(on.delete, { sessionId: empty });
	await assert.rejects(agent.request(on.prompt, prompts(empty, "Three.")), /is not open/);
});

test("each server of an editor gets a name of its own, even when display names repeat", async (t) => {
	const desk = await setUpDesk(t, () => says("Hello."));
	const agent = await meetAgent(t, desk);
	const aServer = (name: string, url = "http://127.0.0.1:9/mcp"): McpServer => ({
		type: "http",
		name,
		url,
		headers: [],
	});
	const mcpServers = [aServer("My Server (dev)"), aServer("My Server (dev)"), aServer("日本")];
	const { sessionId } = await agent.request(on.new, { cwd: desk.workspace, mcpServers });
	assert.equal((await agent.request(on.prompt, prompts(sessionId, "Hello."))).stopReason, "end_turn");
	const bad = { cwd: desk.workspace, mcpServers: [aServer("Odd", "ftp://a.example")] };
	await assert.rejects(agent.request(on.new, bad), /The MCP server Odd cannot be used: /);
});

test("the user of an editor is told which MCP server a prompt waits for, and once in a session which cannot be used", async (t) => {
	const desk = await setUpDesk(t, () => says("Hello."));
	const waiting: ServerResponse[] = [];
	let isReleased = false;
	const release = () => {
		isReleased = true;
		for (const response of waiting.splice(0)) response.writeHead(500).end();
	};
	const slow = createServer((_, response) => {
		waiting.push(response);
		if (isReleased) release();
	});
	slow.listen(0, "127.0.0.1");
	await once(slow, "listening");
	const { agent, updates, close } = await openAcpEditor(desk, () => undefined);
	t.after(async () => {
		release();
		await close();
		slow.close();
	});
	await agent.request(initialize, HELLO);
	const url = `http://127.0.0.1:${Object(slow.address()).port}/mcp`;
	const mcpServers: McpServer[] = [
		{ type: "http", name: "Slow", url, headers: [] },
		{ name: "Bad", command: process.execPath, args: ["-e", "process.exit(3)"], env: [] },
	];
	const { sessionId } = await agent.request(on.new, { cwd: desk.workspace, mcpServers });
	const thoughts = () =>
		updates.flatMap((update) => (update.sessionUpdate === "agent_thought_chunk" ? [Object(update.content).text] : []));
	const first = agent.request(on.prompt, prompts(sessionId, "One."));
	await until("the user is told what the prompt waits for", () => thoughts().some((text) => /^Waiting/.test(text)));
	assert.match(thoughts()[0], /^Waiting for MCP servers to start: .*Slow/);
	release();
	await first;
	const failed = thoughts().slice(1);
	assert.deepEqual(
		failed.map((text) => /^The MCP server (\w+) cannot be used: ./.exec(text)?.[1]).sort(),
		["Bad", "Slow"],
		failed.join("\n"),
	);
	await agent.request(on.prompt, prompts(sessionId, "Two."));
	assert.deepEqual(thoughts().slice(1), failed);
});

test("a prompt that fails for want of a key names the remedy that there is outside VS Code", async (t) => {
	const desk = await setUpDesk(t, () => refuses(401, "invalid_api_key"));
	const agent = await meetAgent(t, desk);
	const { sessionId } = await agent.request(on.new, { cwd: desk.workspace, mcpServers: [] });
	await assert.rejects(
		agent.request(on.prompt, prompts(sessionId, "Hello.")),
		/ On the command line, set VITRINE_API_KEY\.$/,
	);
});

test("the session list holds the sessions of a folder in any spelling, without those of sub-agents", async (t) => {
	const steps = {
		root: [callsAll([agentCall("scout")]), calls("wait_agents", {}), says("Done.")],
		scout: [says("Found.")],
	};
	const desk = await setUpDesk(t, play(steps));
	const { agent, close } = await openAcpEditor(desk, () => undefined, ["--mode", "full"]);
	t.after(close);
	await agent.request(initialize, HELLO);
	const { sessionId, configOptions } = await agent.request(on.new, { cwd: `${desk.workspace}/`, mcpServers: [] });
	const mode = Object(configOptions?.[0]);
	assert.ok(Object(mode.options).some((option: unknown) => Object(option).value === mode.currentValue));
	await agent.request(on.prompt, prompts(sessionId, "Look."));
	assert.equal(
		desk.model.requests.some((request) => whoAsks(request) === "scout"),
		true,
	);
	const { sessions } = await agent.request(on.list, { cwd: desk.workspace });
	assert.deepEqual(
		sessions.map((session) => session.sessionId),
		[sessionId],
	);
	const image = { type: "image" as const, data: "no image", mimeType: "image/png" };
	const file = (path: string) => ({ type: "resource_link" as const, uri: `file:///${path}`, name: "a" });
	const refused: readonly (readonly [PromptRequest["prompt"], RegExp])[] = [
		[[image], /The prompt cannot be used: an image is not valid base64\.$/],
		[[], /The prompt is empty\.$/],
		[[file("a".repeat(5_000))], /The prompt cannot be used: the path \/a{99}… is too long\.$/],
		[Array.from({ length: 101 }, () => file("a")), /The prompt has 101 parts with its attachments; the limit is 100\./],
	];
	for (const [prompt, reason] of refused) await assert.rejects(agent.request(on.prompt, { sessionId, prompt }), reason);
});

test("a sub-agent's approval is requested in its parent's session, on a call that ends", async (t) => {
	const patch = "*** Begin Patch\n*** Add File: .vscode/tasks.json\n+{}\n*** End Patch\n";
	const steps = {
		root: [callsAll([agentCall("scribe", { role: "implement" })]), calls("wait_agents", {}), says("All done.")],
		scribe: [calls("apply_patch", { patch }), says("Written.")],
	};
	const desk = await setUpDesk(t, play(steps));
	const { agent, asked, updates, close } = await openAcpEditor(desk, () => "allow");
	t.after(close);
	await agent.request(initialize, HELLO);
	const { sessionId } = await agent.request(on.new, { cwd: desk.workspace, mcpServers: [] });
	await agent.request(on.prompt, prompts(sessionId, "Write it."));
	const [permission, ...others] = asked;
	assert.deepEqual([permission?.sessionId, others], [sessionId, []]);
	assert.match(JSON.stringify(permission?.toolCall.content), /Asked by the sub-agent scribe \(implement\)/);
	const of = permission?.toolCall.toolCallId;
	assert.deepEqual(
		updates.flatMap((update) =>
			"toolCallId" in update && update.toolCallId === of ? [[update.sessionUpdate, update.status]] : [],
		),
		[
			["tool_call", "pending"],
			["tool_call_update", "completed"],
		],
	);
	assert.equal(existsSync(join(desk.workspace, ".vscode/tasks.json")), true);
});
