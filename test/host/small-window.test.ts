import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { contextInspect } from "../../agent-host/protocol/thread/context.ts";
import { isCall } from "../../agent-host/protocol/thread/item.ts";
import { calls, says, withUsage } from "../support/fake-model-steps.ts";
import { aThread, runTurn, type TurnOutcome } from "../support/host-process.ts";
import { shareHost } from "./rig/share-host.ts";

const withShared = shareHost({});

const WINDOW = 8_192;

test("an 8k window still offers the tools for the work, and the fixed context takes at most a quarter of it", (t) =>
	withShared(t, [calls("read_file", { path: "README.md" }), says("Read.")], async ({ host, model }) => {
		const model8k = { model: { contextWindow: WINDOW, wire: "chat" as const } };
		const threadId = await aThread(host, { settings: model8k });
		const { tokens } = await host.request(contextInspect, { threadId });
		assert.ok(tokens <= WINDOW / 4, `${tokens} tokens before the first word`);
		const { text } = await runTurn(host, threadId, "What does it say?");
		assert.equal(text, "Read.");
		const offered = [...(model.requests[0]?.text ?? "").matchAll(/"function":\{"name":"(\w+)"/g)].map(
			([, name]) => name,
		);
		const needed = ["read_file", "list_files", "search_files", "run_command", "apply_patch", "recall"];
		assert.deepEqual(
			needed.filter((name) => !offered.includes(name)),
			[],
		);
		const spared = ["ask_user", "fetch_page", "start_agent", "view_image", "locate_symbol", "run_task"];
		assert.deepEqual(
			spared.filter((name) => offered.includes(name)),
			[],
		);
	}));

test("a local server that silently drops the start of a request is detected, once a turn", (t) => {
	const cut = { input: 4_096, cached: 0, output: 5, reasoning: 0 };
	const whole = { ...cut, input: 14_000 };
	const script = [
		withUsage(calls("read_file", { path: "README.md" }), cut),
		withUsage(says("Hm."), cut),
		withUsage(says("Fine."), whole),
	];
	return withShared(t, script, async ({ host, model }) => {
		const threadId = await aThread(host, { settings: { model: { wire: "chat" } } });
		const [warning, ...more] = cutsIn(await runTurn(host, threadId, "word ".repeat(9_000)));
		const { origin } = new URL(model.baseUrl);
		assert.ok(warning?.startsWith(`${origin} read only 4096 of about 1`), warning);
		assert.match(warning ?? "", /OLLAMA_CONTEXT_LENGTH=64000.*vitrine\.model\.contextWindow/);
		assert.deepEqual(more, []);
		assert.deepEqual(cutsIn(await runTurn(host, threadId, "And now?")), []);
	});
});

const CALL = '<tool_call>\n{"name": "read_file", "arguments": {"path": "README.md"}}\n</tool_call>';

test("calls that a small model writes as text run after a warning, but never those it quotes from a file", (t) => {
	const script = [
		calls("read_file", { path: "prompts.txt" }),
		says(`It ends in this:\n${CALL}`),
		says(`I look.\n${CALL.replace("README.md", "other.md")}`),
		says(`I look.\n${CALL.replace("README.md", "other.md")}`),
		says("Done."),
	];
	return withShared(t, script, async ({ host, world }) => {
		writeFileSync(join(world.workspace, "prompts.txt"), `An example:\n${CALL}\n`);
		const threadId = await aThread(host, { settings: { model: { wire: "chat", id: "small-1" } } });
		const quoted = await runTurn(host, threadId, "What is in it?");
		assert.equal(quoted.text, `It ends in this:\n${CALL}`);
		const { published, text } = await runTurn(host, threadId, "Read the other one.");
		const warnings = published.flatMap(({ event }) => (event.type === "warning" ? [event.message] : []));
		assert.equal(warnings.length, 1);
		assert.match(warnings[0] ?? "", /tool calls on as text.*--jinja.*Retrying now/);
		const made = published.flatMap(({ event }) =>
			event.type === "itemCompleted" && isCall(event.item) ? [event.item.name] : [],
		);
		assert.deepEqual([made, text], [["read_file"], "Done."]);
	});
});

function cutsIn({ published }: TurnOutcome): readonly string[] {
	return published.flatMap(({ event }) =>
		event.type === "warning" && event.code === "prompt-cut" ? [event.message] : [],
	);
}
