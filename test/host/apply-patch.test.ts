import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isCall } from "../../agent-host/protocol/thread/item.ts";
import { threadRead } from "../../agent-host/protocol/thread/thread.ts";
import { createGate } from "../support/fake-model-gate.ts";
import { calls, refuses, type Step, says, writes } from "../support/fake-model-steps.ts";
import { aThread, runTurn } from "../support/host-process.ts";
import { aPatch } from "../support/patch-files.ts";
import { bodyOf } from "../support/request-page.ts";
import { shareHost } from "./rig/share-host.ts";
import { shareToolHost } from "./rig/use-tool.ts";

const UPDATE = aPatch("*** Update File: src/a.txt", "@@", "-two", "+2", "*** Add File: new/b.txt", "+b");

function plant(workspace: string): void {
	rmSync(join(workspace, "new"), { recursive: true, force: true });
	mkdirSync(join(workspace, "src"), { recursive: true });
	writeFileSync(join(workspace, "src/a.txt"), "one\r\ntwo\r\n");
}

const useShared = shareToolHost();
const withShared = shareHost({});

test("the model changes files of a trusted workspace, and reads what it changed", (t) =>
	useShared(
		t,
		{ name: "apply_patch", args: { patch: UPDATE }, prepare: ({ workspace }) => plant(workspace) },
		({ status, output, title, world }) => {
			assert.deepEqual([status, title], ["completed", "Edit src/a.txt and 1 more"]);
			assert.equal(output, "Changed:\nM src/a.txt (+1 -1)\nA new/b.txt (+1 -0)");
			assert.equal(readFileSync(join(world.workspace, "src/a.txt"), "utf8"), "one\r\n2\r\n");
			assert.equal(readFileSync(join(world.workspace, "new/b.txt"), "utf8"), "b\n");
		},
	));

test("a patch is recorded with its turn as files, hunks and content hashes, never as whole files", (t) =>
	withShared(t, [calls("apply_patch", { patch: UPDATE }), says("Done.")], async ({ host, world }) => {
		plant(world.workspace);
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Patch it.");
		const { events } = await host.request(threadRead, { threadId });
		const [diff] = events.flatMap(({ event }) => (event.type === "turnDiff" ? [event] : []));
		const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
		assert.deepEqual(
			diff?.files.map(({ path, operation, before, after, hunks }) => ({ path, operation, before, after, hunks })),
			[
				{
					path: "src/a.txt",
					operation: "update",
					before: sha256("one\r\ntwo\r\n"),
					after: sha256("one\r\n2\r\n"),
					hunks: [{ from: 2, to: 2, removed: ["two"], added: ["2"] }],
				},
				{
					path: "new/b.txt",
					operation: "add",
					before: undefined,
					after: sha256("b\n"),
					hunks: [{ from: 1, to: 1, removed: [], added: ["b"] }],
				},
			],
		);
	}));

const WRITES_TEXT = { model: { id: "gpt-5-codex" } };

test("a model that can write patches as plain text does so, and reads its call back as it wrote it", (t) =>
	withShared(t, [writes("apply_patch", UPDATE), says("Done.")], async ({ host, model, world }) => {
		plant(world.workspace);
		const { published } = await runTurn(host, await aThread(host, { settings: WRITES_TEXT }), "Patch it.");
		assert.equal(readFileSync(join(world.workspace, "src/a.txt"), "utf8"), "one\r\n2\r\n");
		const [first, second] = model.requests.map(bodyOf);
		assert.deepEqual(patchTool(first), ["custom", "grammar", "lark"]);
		const sent = second?.input.filter(({ type }) => type?.startsWith("custom_tool_call"));
		assert.deepEqual(
			sent?.map(({ type, input, output }) => [type, input ?? output]),
			[
				["custom_tool_call", UPDATE],
				["custom_tool_call_output", "Changed:\nM src/a.txt (+1 -1)\nA new/b.txt (+1 -0)"],
			],
		);
		const shown = published.flatMap(({ event }) =>
			event.type === "itemStarted" && isCall(event.item) ? [JSON.parse(event.item.arguments)] : [],
		);
		assert.deepEqual(shown, [{ patch: UPDATE }], "whoever reads the call finds arguments, as in any other");
	}));

test("a server that refuses plain-text calls is asked again with a function, and its call is sent back as one", (t) => {
	const script = [
		refuses(400, "invalid_request_error", "Invalid value: 'custom'. Supported values are: 'function'."),
		calls("apply_patch", { patch: UPDATE }),
		says("Done."),
	];
	// What it learns it keeps, and it is the last that is asked for this model.
	return withShared(t, script, async ({ host, model, world }) => {
		plant(world.workspace);
		const { text } = await runTurn(host, await aThread(host, { settings: WRITES_TEXT }), "Patch it.");
		assert.equal(text, "Done.");
		const [, second, third] = model.requests.map(bodyOf);
		assert.equal(patchTool(second)[0], "function");
		assert.ok(third?.input.some(({ type }) => type === "function_call"));
	});
});

for (const wire of ["responses", "chat"] as const) {
	test(`${wire}: a patch is shown line by line while it is written, and nothing is touched until it is complete`, (t) => {
		const gate = createGate();
		const json = JSON.stringify({ patch: UPDATE });
		const half = json.indexOf("*** Add File");
		const [part] = calls("apply_patch", {}).parts;
		assert.ok(part?.kind === "call");
		const step = { ...says(""), parts: [{ ...part, pieces: [json.slice(0, half), gate, json.slice(half)] }] };
		return withShared(t, [step, says("Done.")], async ({ host, world }) => {
			plant(world.workspace);
			const threadId = await aThread(host, { settings: { model: { wire } } });
			const ended = runTurn(host, threadId, "Patch it.");
			await host.waitFor(threadId, (event) => event.type === "itemDelta" && event.itemKind === "draft");
			const { live } = await host.request(threadRead, { threadId });
			assert.deepEqual([live?.itemKind, live?.text], ["draft", UPDATE.slice(0, UPDATE.indexOf("*** Add File"))]);
			assert.equal(readFileSync(join(world.workspace, "src/a.txt"), "utf8"), "one\r\ntwo\r\n");
			gate.release();
			const { text } = await ended;
			assert.equal(text, "Done.");
			assert.equal((await host.request(threadRead, { threadId })).live, undefined);
			assert.equal(readFileSync(join(world.workspace, "src/a.txt"), "utf8"), "one\r\n2\r\n");
		});
	});
}

test("the text of a long patch reaches the client at most once, and can be read in full", (t) => {
	const lines = Array.from({ length: 5_000 }, (_, index) => `\tconst value${index} = "some text";`);
	const patch = aPatch("*** Add File: long.ts", ...lines.map((line) => `+${line}`));
	const step = calls("apply_patch", { patch }, { chunk: 2_000 });
	return withShared(t, [step, says("Done.")], async ({ host }) => {
		const threadId = await aThread(host, { settings: { model: { contextWindow: 1_000_000 } } });
		await runTurn(host, threadId, "Add it.");
		const published = host.events(threadId);
		const sent = published.reduce((sum, event) => sum + JSON.stringify(event).length, 0);
		assert.ok(sent < 1.2 * JSON.stringify(patch).length, `${sent} characters for a patch of ${patch.length}`);
		const durable = published.filter(({ seq }) => seq !== undefined);
		const again = await host.request(threadRead, { threadId, cut: true });
		assert.deepEqual(again.events, durable, "a view that comes back is sent the same");
		const called = durable.flatMap(({ seq = 0, event }) =>
			"item" in event && isCall(event.item) ? [{ seq, item: event.item }] : [],
		);
		const file = { path: "long.ts", operation: "add", added: lines.length, removed: 0 };
		assert.equal(called.length, 2);
		for (const { seq, item } of called) {
			assert.deepEqual(item.cut?.files, [file]);
			const { events } = await host.request(threadRead, { threadId, after: seq - 1, limit: 1 });
			const event = events[0]?.event;
			assert.ok(event !== undefined && "item" in event && isCall(event.item));
			assert.deepEqual([JSON.parse(event.item.arguments), event.item.cut], [{ patch }, undefined]);
			assert.equal(event.item.arguments.length, item.cut?.characters);
		}
	});
});

function patchTool(body: ReturnType<typeof bodyOf> | undefined): readonly unknown[] {
	const tools = (body as { readonly tools?: readonly Record<string, unknown>[] } | undefined)?.tools ?? [];
	const { type, format } = tools.find(({ name }) => name === "apply_patch") ?? {};
	const { type: kind, syntax } = (format ?? {}) as Readonly<Record<string, unknown>>;
	return [type, kind, syntax];
}

test("a patch that does not fit changes nothing and reports file, line, expected and found text", (t) =>
	useShared(
		t,
		{
			name: "apply_patch",
			args: { patch: UPDATE.replace("-two", "-deux") },
			prepare: ({ workspace }) => plant(workspace),
		},
		({ status, output, world }) => {
			assert.equal(status, "failed");
			assert.match(output, /^src\/a\.txt, line 1: expected "deux", found "one"/);
			assert.equal(readFileSync(join(world.workspace, "src/a.txt"), "utf8"), "one\r\ntwo\r\n");
			assert.throws(() => readFileSync(join(world.workspace, "new/b.txt")), /ENOENT/);
		},
	));

test("with nobody to ask, a patch that needs approval changes nothing: protected, overwriting, outside, through a link", async (t) => {
	const patches: readonly string[] = [
		aPatch("*** Add File: .git/hooks/pre-commit", "+x"),
		aPatch("*** Add File: README.md", "+x"),
		aPatch("*** Add File: /etc/vitrine/new.txt", "+x"),
		aPatch("*** Delete File: link-to-file"),
	];
	const steps: Step[] = [...patches.map((patch) => calls("apply_patch", { patch })), says("Done.")];
	await withShared(t, steps, async ({ host, world }) => {
		const readme = readFileSync(join(world.workspace, "README.md"), "utf8");
		const threadId = await aThread(host, { settings: { approval: "never" } });
		const { published } = await runTurn(host, threadId, "Go.");
		const statuses = published.flatMap(({ event }) =>
			event.type === "itemCompleted" && isCall(event.item) ? [event.item.status] : [],
		);
		assert.deepEqual(
			statuses,
			patches.map(() => "failed"),
		);
		assert.equal(readFileSync(join(world.workspace, "README.md"), "utf8"), readme);
	});
});

test("a file that changed after the model read it is shown, not patched", async (t) => {
	const steps: Step[] = [calls("read_file", { path: "src/a.txt" }), says("Read.")];
	await withShared(t, steps, async ({ host, world }) => {
		plant(world.workspace);
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Read it.");
		writeFileSync(join(world.workspace, "src/a.txt"), "one\r\ntwo\r\nthree\r\n");
		steps.push(calls("apply_patch", { patch: UPDATE }), calls("apply_patch", { patch: UPDATE }), says("Done."));
		const { published } = await runTurn(host, threadId, "Change it.");
		const outputs = published.flatMap(({ event }) =>
			event.type === "itemCompleted" && isCall(event.item) ? [event.item.output ?? ""] : [],
		);
		assert.match(outputs[0] ?? "", /^src\/a\.txt changed since you read it[\s\S]*3: three$/);
		assert.match(outputs[1] ?? "", /^Changed:/);
	});
});

test("after two patches of a file that did not fit, a third waits until the model has read it again", (t) => {
	const wrong = () => calls("apply_patch", { patch: UPDATE.replace("-two", "-deux") });
	const right = () => calls("apply_patch", { patch: UPDATE });
	const script = [wrong(), wrong(), right(), calls("read_file", { path: "src/a.txt" }), right(), says("Done.")];
	return withShared(t, script, async ({ host, world }) => {
		plant(world.workspace);
		const { published } = await runTurn(host, await aThread(host), "Patch it.");
		const ends = published.flatMap(({ event }) =>
			event.type === "itemCompleted" && isCall(event.item) ? [event.item] : [],
		);
		assert.deepEqual(
			ends.map(({ status }) => status),
			["failed", "failed", "failed", "completed", "completed"],
		);
		assert.match(ends[2]?.output ?? "", /two patches of it failed in this turn\. Read it again first/);
		assert.equal(readFileSync(join(world.workspace, "src/a.txt"), "utf8"), "one\r\n2\r\n");
	});
});
