import assert from "node:assert/strict";
import { test } from "node:test";
import { methods, type PromptRequest } from "@agentclientprotocol/sdk";
import { threadCompact } from "../../agent-host/protocol/thread/compaction.ts";
import { threadResume } from "../../agent-host/protocol/thread/thread.ts";
import { turnInterrupt, turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { compactCommand } from "../../agent-host/surfaces/cli/compact-command.ts";
import { execCommand } from "../../agent-host/surfaces/cli/exec-command.ts";
import { threadsCommand } from "../../agent-host/surfaces/cli/threads-command.ts";
import type { Script } from "../support/fake-model.ts";
import { calls, hangs, says } from "../support/fake-model-steps.ts";
import { aThread, runTurn, startHost } from "../support/host-process.ts";
import { openAcpEditor } from "./rig/acp-client.ts";
import { type Desk, makeRoot, runHere, setUpDesk } from "./rig/command-here.ts";
import { isCompaction, sumsUp } from "./rig/compaction.ts";
import { callOverMcp } from "./rig/mcp-client.ts";
import { pointAt } from "./rig/with-host.ts";

const CHANGE = "Change it.";
const THINK = "Think.";
const NOW = "And now?";
/** Made once: a call has an id of its own. */
const PATCHES = calls("apply_patch", {
	patch: "*** Begin Patch\n*** Add File: .vscode/tasks.json\n+{}\n*** End Patch\n",
});

/**
 * One conversation: a turn with an approval, one in another context that is interrupted, a compaction, and one more after
 * the thread was opened again.
 */
type Conversation = (desk: Desk) => Promise<string>;

const overEditor: Conversation = async ({ home, workspace, model }) => {
	const approve = () => ({ decision: "allow" as const });
	const env = process.env as Record<string, string>;
	const spec = { home, folders: [workspace], settings: pointAt(model), approve, env };
	const first = await startHost(spec);
	const threadId = await aThread(first);
	await runTurn(first, threadId, CHANGE);
	const overrides = { settings: { permissions: { mode: "readOnly" as const } } };
	await first.request(turnStart, { threadId, input: [{ kind: "text", text: THINK }], overrides });
	await model.requestNumber(3);
	await first.request(turnInterrupt, { threadId });
	await first.request(threadCompact, { threadId });
	await first.waitFor(threadId, (event) => event.type === "compactionCompleted");
	await first.close();
	const second = await startHost(spec);
	await second.request(threadResume, { threadId });
	await runTurn(second, threadId, NOW);
	await second.close();
	return threadId;
};

const overCommandLine: Conversation = async ({ home, workspace, server, model }) => {
	const here = { cwd: workspace, typed: ["y"] };
	await runHere(execCommand, [...server, CHANGE], here);
	const listed = await runHere(threadsCommand, ["--home", home, "--json"], here);
	const { threadId } = JSON.parse(listed.stdout);
	const running = runHere(execCommand, ["--home", home, "--last", "--mode", "readOnly", THINK], here);
	await model.requestNumber(3);
	process.emit("SIGINT");
	assert.equal((await running).status, 3);
	assert.equal((await runHere(compactCommand, ["--home", home, threadId], here)).status, 0);
	assert.equal((await runHere(execCommand, ["--home", home, "--resume", threadId, NOW], here)).status, 0);
	return threadId;
};

const overMcp: Conversation = async (desk) => {
	const { model } = desk;
	const answer = () => ({ action: "accept", content: { decision: "allow" } });
	const first = await callOverMcp(desk, { era: "modern", answer });
	const { threadId } = await first.call("start", { prompt: CHANGE });
	await first.call("turn", { threadId, prompt: THINK, overrides: { sandbox: "readOnly" }, background: true });
	await model.requestNumber(3);
	await first.call("interrupt", { threadId });
	await first.call("compact", { threadId });
	await first.close();
	const second = await callOverMcp(desk, { era: "legacy", answer });
	await second.call("resume", { threadId });
	await second.call("turn", { threadId, prompt: NOW });
	await second.close();
	return String(threadId);
};

const overAcp: Conversation = async (desk) => {
	const { model } = desk;
	const { session: on } = methods.agent;
	const { agent, close } = await openAcpEditor(desk, () => "allow");
	const cwd = desk.workspace;
	await agent.request(methods.agent.initialize, { protocolVersion: 1 });
	const { sessionId } = await agent.request(on.new, { cwd, mcpServers: [] });
	const say = (text: string) => {
		const prompt: PromptRequest = { sessionId, prompt: [{ type: "text", text }] };
		return agent.request(on.prompt, prompt);
	};
	await say(CHANGE);
	await agent.request(on.setConfigOption, { sessionId, configId: "mode", value: "readOnly" });
	const running = say(THINK);
	await model.requestNumber(3);
	await agent.notify(on.cancel, { sessionId });
	assert.equal((await running).stopReason, "cancelled");
	await agent.request(on.setConfigOption, { sessionId, configId: "mode", value: "workspaceWrite" });
	await say("/compact");
	await agent.request(on.close, { sessionId });
	await agent.request(on.load, { sessionId, cwd, mcpServers: [] });
	await say(NOW);
	await close();
	return sessionId;
};

const SURFACES = { editor: overEditor, "command line": overCommandLine, MCP: overMcp, ACP: overAcp };

test("one conversation sends the model the same bytes over every surface", async (t) => {
	const root = makeRoot();
	const sent: Record<string, readonly string[]> = {};
	for (const [surface, converse] of Object.entries(SURFACES)) {
		const steps = [PATCHES, says("Changed."), hangs(), says("Here.")];
		let taken = 0;
		const script: Script = (request) => (isCompaction(request) ? sumsUp(CHANGE, [THINK]) : steps[taken++]);
		// The same place for all: the digest of the policy is in the requests.
		const desk = await setUpDesk(t, script, root);
		const threadId = await converse(desk);
		sent[surface] = desk.model.requests
			.filter(({ method }) => method === "POST")
			.map(({ text }) => text.replaceAll(threadId, "<THREAD>"));
	}
	const { editor: expected = [], ...others } = sent;
	assert.equal(expected.length, 5);
	assert.match(expected[2] ?? "", /read-only|Read Only/i);
	for (const [surface, requests] of Object.entries(others)) {
		assert.equal(requests.length, expected.length, surface);
		for (const [index, request] of requests.entries()) {
			assert.deepEqual(firstDifference(request, expected[index] ?? ""), undefined, `${surface}, request ${index + 1}`);
		}
	}
});

/** Whole requests would fill the screen. */
function firstDifference(one: string, other: string): readonly string[] | undefined {
	if (one === other) return undefined;
	let at = 0;
	while (one[at] === other[at]) at += 1;
	return [one, other].map((text) => text.slice(Math.max(0, at - 80), at + 160));
}
