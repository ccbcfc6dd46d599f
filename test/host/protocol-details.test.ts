import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { hostStatus } from "../../agent-host/protocol/host/host.ts";
import { threadCompact } from "../../agent-host/protocol/thread/compaction.ts";
import { contextInspect } from "../../agent-host/protocol/thread/context.ts";
import { threadRead, threadSearch } from "../../agent-host/protocol/thread/thread.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, type HostProcess, type RpcError, runTurn } from "../support/host-process.ts";
import { isCompaction } from "./rig/compaction.ts";
import { eventually } from "./rig/files.ts";
import { shareHost } from "./rig/share-host.ts";
import { withHost } from "./rig/with-host.ts";

const withShared = shareHost({});
const withIpc = shareHost({ transport: "ipc" });

/** The id of the last request that this client has sent: it counts them. */
function idOfNext(host: HostProcess): number {
	const ids = host.received.messages.map((text) => Number((JSON.parse(text) as { readonly id?: unknown }).id));
	return Math.max(0, ...ids.filter(Number.isFinite)) + 1;
}

function isCancelled(error: RpcError): boolean {
	assert.deepEqual([error.code, error.data], [-32_800, { kind: "cancelled" }]);
	return true;
}

test("a cancelled preview is answered at once, and its request to the model is aborted", (t) =>
	withHost(
		t,
		{ script: (request) => (isCompaction(request) ? { kind: "hang" } : says("Yes.")) },
		async ({ host, model }) => {
			const threadId = await aThread(host);
			for (const text of ["one", "two", "three"]) await runTurn(host, threadId, text);
			const id = idOfNext(host);
			const preview = host.request(threadCompact, { threadId, preview: true });
			await model.requestNumber(4);
			host.notifyRaw("$/cancelRequest", { id });
			await assert.rejects(preview, isCancelled);
			assert.equal((await runTurn(host, threadId, "four")).text, "Yes.");
		},
	));

test("a cancelled request that changes something is still answered with its outcome", (t) =>
	withShared(t, [says("Yes.")], async ({ host }) => {
		const threadId = await aThread(host);
		const id = idOfNext(host);
		const started = host.requestRaw("turn/start", { threadId, input: [{ kind: "text", text: "Hi" }] });
		host.notifyRaw("$/cancelRequest", { id });
		assert.ok((await started) !== undefined);
		await host.waitFor(threadId, ({ type }) => type === "turnCompleted");
	}));

test("cancelling an unknown or long answered request does nothing", (t) =>
	withShared(t, [], async ({ host }) => {
		for (const params of [{ id: 99_999 }, { id: 1 }, { id: "x" }]) host.notifyRaw("$/cancelRequest", params);
		await host.request(hostStatus, {});
	}));

test("a request with a progress token reports begin and end, whether it succeeds or not", (t) =>
	withShared(t, [], async ({ host }) => {
		await host.requestRaw("host/status", { workDoneToken: "a" });
		await host.requestRaw("thread/search", { query: "x", workDoneToken: 7 });
		await assert.rejects(host.requestRaw("thread/read", { threadId: "no-such-thread", workDoneToken: "b" }));
		const told = host.received.messages
			.map((text) => JSON.parse(text) as { readonly method?: string; readonly params: unknown })
			.flatMap(({ method, params }) => (method === "$/progress" ? [params] : []));
		const end = { kind: "end" };
		const begin = (title: string) => ({ kind: "begin", title, cancellable: true });
		assert.deepEqual(told, [
			{ token: "a", value: begin("Working") },
			{ token: "a", value: end },
			{ token: 7, value: begin("Searching threads") },
			{ token: 7, value: end },
			{ token: "b", value: begin("Working") },
			{ token: "b", value: end },
		]);
	}));

test("a cancelled search is answered at once, and the next one finds what it would have found", (t) =>
	withShared(t, [says("Yes.")], async ({ host }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Where is the marmalade?");
		const id = idOfNext(host);
		const search = host.request(threadSearch, { query: "marmalade" });
		host.notifyRaw("$/cancelRequest", { id });
		await assert.rejects(search, isCancelled);
		const { threads } = await host.request(threadSearch, { query: "marmalade" });
		assert.deepEqual(
			threads.map((found) => found.threadId),
			[threadId],
		);
	}));

test("verifying threads reports each percentage once and in order", (t) =>
	withShared(
		t,
		() => says("Yes."),
		async ({ host }) => {
			for (const text of ["one", "two", "three"]) await runTurn(host, await aThread(host), text);
			await host.requestRaw("thread/verify", { workDoneToken: "v" });
			const percents = host.received.messages
				.map((text) => JSON.parse(text) as { readonly params?: { readonly token?: string; readonly value?: Percent } })
				.flatMap(({ params }) => (params?.token === "v" ? [params.value?.percentage ?? []].flat() : []));
			assert.ok(percents.length >= 2, percents.join());
			assert.deepEqual(
				percents,
				[...new Set(percents)].sort((one, other) => one - other),
			);
		},
	));

interface Percent {
	readonly percentage?: number;
}

test("the host is told of saves, and accepts the text that comes with one", (t) =>
	withHost(
		t,
		{ script: (_, index) => (index % 2 === 0 ? calls("read_file", { path: "README.md" }) : says("Read.")) },
		async ({ host, world, model }) => {
			const uri = pathToFileURL(join(world.workspace, "README.md")).href;
			host.notifyRaw("textDocument/didOpen", {
				textDocument: { uri, languageId: "markdown", version: 1, text: "typed\n" },
			});
			host.notifyRaw("textDocument/didSave", { textDocument: { uri } });
			host.notifyRaw("textDocument/didSave", { textDocument: { uri: `${uri}.other` }, text: "not open" });
			const threadId = await aThread(host);
			await runTurn(host, threadId, "Read it.");
			assert.match(model.requests[1]?.text ?? "", /1: typed/);
			host.notifyRaw("textDocument/didSave", { textDocument: { uri }, text: "formatted\n" });
			await runTurn(host, threadId, "Again.");
			assert.match(model.requests[3]?.text ?? "", /1: formatted/);
			assert.deepEqual(
				host.received.logs.filter((line) => line.includes("Ignored")),
				[],
			);
		},
	));

test("every message in the user's voice carries its kind, live, when read again and in the next request", (t) =>
	withShared(t, [says("Yes.")], async ({ host }) => {
		const threadId = await aThread(host, { settings: { instructions: { developer: "Be brief." } } });
		await runTurn(host, threadId, "Hello");
		const { events } = await host.request(threadRead, { threadId });
		const kindsIn = (all: typeof events) =>
			all.flatMap(({ event }) => {
				if (event.type === "contextUpdated")
					return event.fragments.flatMap(({ role, messageKind }) => (role === "user" ? [messageKind] : []));
				return event.type === "itemCompleted" && event.item.kind === "userMessage" ? [event.item.messageKind] : [];
			});
		assert.ok(
			kindsIn(events).includes("environmentContext") && kindsIn(events).includes("plain"),
			String(kindsIn(events)),
		);
		assert.ok(kindsIn(events).every((kind) => kind !== undefined));
		assert.deepEqual(kindsIn([...host.events(threadId)]), kindsIn(events));
		const { items } = await host.request(contextInspect, { threadId });
		const spoken = items.filter(({ role }) => role === "user").map(({ messageKind }) => messageKind);
		assert.ok(spoken.includes("plain") && spoken.includes("environmentContext"), String(spoken));
		assert.ok(items.every(({ role, messageKind }) => (role === "user") === (messageKind !== undefined)));
	}));

/** What the host must survive on the editor's own channel, and how it answers. */
const ON_THE_CHANNEL: Readonly<Record<string, readonly [message: object, answer: RegExp]>> = {
	"a message over 16 MB": [
		{ jsonrpc: "2.0", id: 70_001, method: "host/status", params: { x: "x".repeat(17_000_000) } },
		/"id":70001,"error":\{"code":-32600,"message":"A message is over the limit of 16777216 bytes/,
	],
	"a message nested deeper than 64 levels": [
		{ jsonrpc: "2.0", id: 70_002, method: "host/status", params: nested(100) },
		/"id":70002,"error":\{"code":-32600,"message":"A message is nested deeper than 64 levels/,
	],
	"a list": [[1, 2, 3], /"id":null,"error":\{"code":-32700,"message":"A message is not a JSON object/],
	"a cancellation that names nothing": [
		{ jsonrpc: "2.0", method: "$/cancelRequest", params: null },
		/"id":null,"error":\{"code":-32700,"message":"A message has invalid parameters/,
	],
};

for (const [what, [message, answer]] of Object.entries(ON_THE_CHANNEL)) {
	test(`on the editor's own channel the host refuses ${what}, and goes on`, (t) =>
		withIpc(t, [], async ({ host }) => {
			host.wire.send(message as never);
			await host.request(hostStatus, {});
			await eventually(() => host.received.messages.some((text) => answer.test(text)), 5_000, "no refusal came");
		}));
}

test("on the editor's own channel a message of 15 MB is accepted", (t) =>
	withIpc(t, [], async ({ host }) => {
		await host.requestRaw("host/status", { x: "x".repeat(15_000_000) });
	}));

function nested(levels: number): object {
	return levels === 0 ? {} : { in: nested(levels - 1) };
}
