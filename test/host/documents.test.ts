import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { hostStatus } from "../../agent-host/protocol/host/host.ts";
import { isCall } from "../../agent-host/protocol/thread/item.ts";
import type { World } from "../support/canaries.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, type HostProcess, runTurn } from "../support/host-process.ts";
import { inputLines } from "../support/request-page.ts";
import { shareToolHost } from "./rig/use-tool.ts";
import { withHost } from "./rig/with-host.ts";

const useShared = shareToolHost();

test("unsaved text wins over the disk", (t) =>
	reads(t, ({ workspace }, host) => open(host, join(workspace, "README.md"), "unsaved\n"), "1: unsaved"));

test("a document that exists only in the editor can be read", (t) =>
	reads(t, ({ workspace }, host) => open(host, join(workspace, "new.md"), "brand new"), "1: brand new", "new.md"));

test("edits arrive as ranges and are applied in order, across surrogate pairs and line ends", (t) =>
	reads(
		t,
		({ workspace }, host) => {
			const path = join(workspace, "README.md");
			open(host, path, "one 👍 two\r\nthree\r\n");
			change(host, path, 2, [
				{ range: range(0, 4, 0, 6), text: "and" },
				{ range: range(1, 0, 1, 5), text: "3\r\nfour" },
			]);
			change(host, path, 3, [{ range: range(2, 4, 2, 4), text: "!" }]);
		},
		"1: one and two\n2: 3\n3: four!",
	));

test("a change without a range replaces the whole text", (t) =>
	reads(
		t,
		({ workspace }, host) => {
			const path = join(workspace, "README.md");
			open(host, path, "old");
			change(host, path, 2, [{ text: "new" }]);
		},
		"1: new",
	));

test("after a document is closed, its text on disk counts again", (t) =>
	reads(
		t,
		({ workspace }, host) => {
			const path = join(workspace, "README.md");
			open(host, path, "unsaved");
			writeFileSync(path, "saved since\n");
			host.notifyRaw("textDocument/didClose", { textDocument: { uri: uriOf(path) } });
		},
		"1: saved since",
	));

test("an open document outside the workspace is not given to the model", (t) => {
	const use = {
		name: "read_file",
		args: ({ outside }: World) => ({ path: outside }),
		prepare: ({ outside }: World, host: HostProcess) => open(host, outside, "open, but none of the model's business"),
	};
	return useShared(t, use, ({ status, output }) => {
		assert.equal(status, "failed");
		assert.match(output, /outside the workspace/);
	});
});

test("a document opened through a link out of the workspace is not given to the model", (t) => {
	const use = {
		name: "read_file",
		args: { path: "link-to-file" },
		prepare: ({ links }: World, host: HostProcess) => open(host, links.file, "text of a file outside"),
	};
	return useShared(t, use, ({ status }) => assert.equal(status, "failed"));
});

test("text that the editor loaded while a folder led elsewhere reaches no tool: the disk counts", (t) => {
	const script = [
		calls("read_file", { path: "README.md" }),
		calls("read_file", { path: "gone.md" }),
		calls("search_files", { pattern: "id_rsa" }),
		says("done"),
	];
	return withHost(t, { script, unsaved: () => false }, async ({ host, model, world }) => {
		writeFileSync(join(world.workspace, "README.md"), "on disk\n");
		for (const name of ["README.md", "gone.md"]) open(host, join(world.workspace, name), "loaded: id_rsa\n");
		await runTurn(host, await aThread(host), "Read them.");
		const told = model.requests.flatMap((request) => inputLines(request)).join("\n");
		assert.match(told, /1: on disk/);
		assert.doesNotMatch(told, /loaded/);
	});
});

test("malformed document messages do no harm", (t) =>
	withHost(t, {}, async ({ host, world }) => {
		const path = join(world.workspace, "README.md");
		change(host, path, 2, [{ text: "never opened" }]);
		host.notifyRaw("textDocument/didOpen", { textDocument: { uri: "not a uri", version: "x" } });
		host.notifyRaw("textDocument/didOpen", null);
		open(host, path, "text");
		change(host, path, 2, [{ range: range(9, 9, 99, 99), text: "past the end" }]);
		host.notifyRaw("textDocument/didClose", { textDocument: { uri: "file:///nowhere" } });
		assert.equal((await host.request(hostStatus, {})).openDocuments, 1);
	}));

test("folders that are added and removed change what can be read, and the model is told", (t) => {
	const steps = [says("one"), calls("read_file", { path: "README.md" }), says("two")];
	return withHost(t, { script: steps }, async ({ host, model, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "first");
		const folder = (path: string) => ({ uri: uriOf(path), name: path });
		const other = join(world.root, "user");
		host.notifyRaw("workspace/didChangeWorkspaceFolders", {
			event: { added: [folder(other)], removed: [folder(world.workspace)] },
		});
		assert.deepEqual((await host.request(hostStatus, {})).folders, [other]);
		const { published } = await runTurn(host, threadId, "second");
		const call = published.find(({ event }) => event.type === "itemCompleted" && isCall(event.item));
		assert.ok(call?.event.type === "itemCompleted" && isCall(call.event.item));
		assert.equal(call.event.item.status, "failed");
		const told = inputLines(model.requests[1] ?? assert.fail()).filter((line) => line.startsWith("user/environment"));
		assert.equal(told.length, 2);
		assert.match(told[1] ?? "", /Changed[\s\S]*user/);
	});
});

/** The model reads a file after the editor has done something. */
function reads(
	t: TestContext,
	prepare: (world: World, host: HostProcess) => void,
	expected: string,
	path = "README.md",
): Promise<void> {
	return useShared(t, { name: "read_file", args: { path }, prepare }, ({ output }) => assert.equal(output, expected));
}

function open(host: HostProcess, path: string, text: string): void {
	host.notifyRaw("textDocument/didOpen", { textDocument: { uri: uriOf(path), languageId: "x", version: 1, text } });
}

function change(host: HostProcess, path: string, version: number, contentChanges: readonly object[]): void {
	host.notifyRaw("textDocument/didChange", { textDocument: { uri: uriOf(path), version }, contentChanges });
}

function range(line: number, character: number, endLine: number, endCharacter: number): object {
	return { start: { line, character }, end: { line: endLine, character: endCharacter } };
}

function uriOf(path: string): string {
	return pathToFileURL(path).href;
}
