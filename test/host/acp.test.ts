import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type InitializeRequest, methods, type PromptRequest, type SessionUpdate } from "@agentclientprotocol/sdk";
import { aPng } from "../support/an-image.ts";
import type { RecordedRequest } from "../support/fake-model-request.ts";
import { calls, callsAll, hangs, holds, says } from "../support/fake-model-steps.ts";
import { bodyOf } from "../support/request-page.ts";
import { openAcpEditor } from "./rig/acp-client.ts";
import { setUpDesk } from "./rig/command-here.ts";
import { isCompaction, sumsUp } from "./rig/compaction.ts";

const { session: on, initialize } = methods.agent;
const PATCH = "*** Begin Patch\n*** Add File: .vscode/tasks.json\n+{}\n*** End Patch\n";
const STEPS = [
	{ text: "Look", status: "done" },
	{ text: "Change", status: "running" },
];

test("an editor opens a session, follows its calls, decides, changes modes, cancels, compacts and loads it again", async (t) => {
	const held = holds("Thinking", " aloud.");
	const steps = [
		callsAll([
			["read_file", { path: "notes.txt" }],
			["update_plan", { steps: STEPS }],
		]),
		calls("apply_patch", { patch: PATCH }),
		says("Changed."),
		calls("apply_patch", { patch: PATCH.replace("tasks", "launch") }),
		says("Nothing found."),
		held,
	];
	let taken = 0;
	const offered: string[] = [];
	const take = (request: RecordedRequest) => {
		offered.push(JSON.stringify(bodyOf(request).tools));
		return steps[taken++];
	};
	const desk = await setUpDesk(t, (request) =>
		isCompaction(request) ? sumsUp("Change it.", ["Again."]) : take(request),
	);
	const choices: (string | undefined)[] = ["allow", undefined];
	const editor = await openAcpEditor(desk, () => choices.shift());
	t.after(editor.close);
	const { agent, updates, asked } = editor;
	const hello: InitializeRequest = { protocolVersion: 1, clientCapabilities: { session: { compaction: {} } } };
	const { agentCapabilities } = await agent.request(initialize, hello);
	assert.deepEqual([agentCapabilities?.loadSession, agentCapabilities?.promptCapabilities?.image], [true, true]);
	const opened = await agent.request(on.new, { cwd: desk.workspace, mcpServers: [] });
	const { sessionId } = opened;
	const answered = editor.wire().indexOf('"configOptions"');
	const early = editor.wire().slice(0, answered).includes("available_commands_update");
	assert.deepEqual([answered !== -1, early], [true, false], "commands come after the answer that names the session");
	assert.deepEqual(
		opened.configOptions?.map(({ id }) => id),
		["mode", "model", "thought_level", "collaboration"],
	);
	const image = { type: "image" as const, data: aPng(4, 4).toString("base64"), mimeType: "image/png" };
	const prompt: PromptRequest = { sessionId, prompt: [{ type: "text", text: "Change it." }, image] };
	assert.equal((await agent.request(on.prompt, prompt)).stopReason, "end_turn");
	assert.ok(existsSync(join(desk.workspace, ".vscode/tasks.json")));
	const begun = of(updates, "tool_call").map(({ kind, status }) => `${kind} ${status}`);
	assert.deepEqual(begun.slice(0, 2), ["read in_progress", "think in_progress"]);
	assert.deepEqual(
		of(updates, "plan")[0]?.entries.map(({ status }) => status),
		["completed", "in_progress"],
	);
	const [permission] = asked;
	const order = updates.findIndex(
		(update) => "toolCallId" in update && update.toolCallId === permission?.toolCall.toolCallId,
	);
	assert.ok(order !== -1, "a permission is about a call that the editor knows");
	assert.deepEqual(
		permission?.options.map(({ kind }) => kind),
		["allow_once", "reject_once", "reject_once"],
	);
	const diffs = of(updates, "tool_call_update").flatMap(({ content }) =>
		(content ?? []).filter(({ type }) => type === "diff"),
	);
	assert.deepEqual(Object(diffs[0]), {
		type: "diff",
		path: join(desk.workspace, ".vscode/tasks.json"),
		oldText: null,
		newText: "{}",
	});
	assert.equal(text(updates), "Changed.");
	assert.ok(of(updates, "usage_update").some(({ size }) => size > 0));
	// A closed dialog ends the turn; nothing else of it runs.
	const closed = await agent.request(on.prompt, { sessionId, prompt: [{ type: "text", text: "Again." }] });
	assert.deepEqual([closed.stopReason, existsSync(join(desk.workspace, ".vscode/launch.json"))], ["cancelled", false]);
	const { configOptions } = await agent.request(on.setConfigOption, { sessionId, configId: "mode", value: "readOnly" });
	assert.equal(Object(configOptions[0]).currentValue, "readOnly");
	await assert.rejects(
		agent.request(on.setConfigOption, { sessionId, configId: "mode", value: "full" }),
		/cannot be full/,
	);
	// A review is one turn, not a mode that stays.
	assert.deepEqual(
		opened.modes?.availableModes.map(({ id }) => id),
		["default", "plan"],
	);
	await assert.rejects(agent.request(on.setMode, { sessionId, modeId: "review" }), /cannot be review/);
	await agent.request(on.prompt, { sessionId, prompt: [{ type: "text", text: "/review the parser" }] });
	assert.match(offered.at(-1) ?? "", /report_findings/);
	assert.doesNotMatch(offered.at(-1) ?? "", /apply_patch/);
	await agent.request(on.setMode, { sessionId, modeId: "plan" });
	const running = agent.request(on.prompt, { sessionId, prompt: [{ type: "text", text: "Think." }] });
	await held.reached;
	await assert.rejects(agent.request(on.prompt, { sessionId, prompt: [{ type: "text", text: "Two." }] }), /running/);
	await agent.notify(on.cancel, { sessionId });
	assert.equal((await running).stopReason, "cancelled");
	const compacted = await agent.request(on.prompt, { sessionId, prompt: [{ type: "text", text: "/compact names" }] });
	assert.equal(compacted.stopReason, "end_turn");
	assert.deepEqual(
		of(updates, "compaction_update").map(({ status }) => status),
		["in_progress", "completed"],
	);
	const { sessions } = await agent.request(on.list, { cwd: desk.workspace });
	assert.deepEqual(
		sessions.map((session) => session.sessionId),
		[sessionId],
	);
	await agent.request(on.close, { sessionId });
	const before = updates.length;
	await agent.request(on.load, { sessionId, cwd: desk.workspace, mcpServers: [] });
	const replayed = updates.slice(before);
	assert.deepEqual(
		of(replayed, "user_message_chunk").map(({ content }) => Object(content).text),
		["Change it.", "Again.", "the parser", "Think."],
	);
	assert.ok(text(replayed).startsWith("Changed."));
	await agent.request(on.close, { sessionId });
	await agent.request(on.delete, { sessionId });
	await assert.rejects(agent.request(on.resume, { sessionId, cwd: desk.workspace }), /not found/);
	await assert.rejects(agent.request(on.new, { cwd: "relative", mcpServers: [] }), /not a folder/);
});

test("a prompt cancelled at once, before or after its turn began, ends as cancelled without an answer", async (t) => {
	const desk = await setUpDesk(t, () => hangs());
	const editor = await openAcpEditor(desk, () => assert.fail("Nothing is asked."));
	t.after(editor.close);
	const { agent } = editor;
	await agent.request(initialize, { protocolVersion: 1 });
	const { sessionId } = await agent.request(on.new, { cwd: desk.workspace, mcpServers: [] });
	for (const text of ["Never mind.", "Nor this.", "Nor that."]) {
		const prompting = agent.request(on.prompt, { sessionId, prompt: [{ type: "text", text }] });
		await agent.notify(on.cancel, { sessionId });
		assert.equal((await prompting).stopReason, "cancelled");
	}
});

type Of<Kind extends SessionUpdate["sessionUpdate"]> = Extract<SessionUpdate, { readonly sessionUpdate: Kind }>;

function of<Kind extends SessionUpdate["sessionUpdate"]>(
	updates: readonly SessionUpdate[],
	kind: Kind,
): readonly Of<Kind>[] {
	return updates.filter((update): update is Of<Kind> => update.sessionUpdate === kind);
}

function text(updates: readonly SessionUpdate[]): string {
	return of(updates, "agent_message_chunk")
		.map(({ content }) => Object(content).text)
		.join("");
}
