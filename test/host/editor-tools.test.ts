import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApprovalDecision, ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import { didChangeTrust } from "../../agent-host/protocol/host/host.ts";
import type { PartialSettings } from "../../agent-host/protocol/settings/settings.ts";
import { isCall } from "../../agent-host/protocol/thread/item.ts";
import { turnInterrupt, turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, type HostProcess, runTurn } from "../support/host-process.ts";
import { bodyOf } from "../support/request-page.ts";
import { matchesRequests } from "./rig/scenario.ts";
import { shareHost } from "./rig/share-host.ts";
import { withHost } from "./rig/with-host.ts";

const COUNT = {
	name: "count_cats",
	description: "Counts\u202E cats.",
	inputSchema: { type: "object", properties: {} },
};
const TOOLS: readonly unknown[] = [
	COUNT,
	{ ...COUNT, name: "vscode_editFile_internal" },
	{ ...COUNT, name: "not_named" },
	{ ...COUNT, name: "huge", inputSchema: { type: "object", properties: { a: { description: "x".repeat(9_000) } } } },
];
const SETTINGS = { model: { contextWindow: 1_000_000 }, editorTools: ["count_cats", "huge"] };

const requests: { readonly method: string; readonly params: unknown }[] = [];
const asked: ApprovalRequest[] = [];
let decision: ApprovalDecision = "allow";
let whileAsked = (): void => undefined;
let listed: readonly unknown[] = TOOLS;
let result: () => unknown = () => ({ content: [{ type: "text", text: "Three\u202E cats." }] });

function serve(method: string, params: unknown): unknown {
	requests.push({ method, params });
	return method === "editorTool/list" ? { tools: listed } : result();
}

const EDITOR = {
	settings: SETTINGS,
	editorTools: serve,
	approve: (request: ApprovalRequest) => {
		asked.push(request);
		whileAsked();
		return { decision, digest: request.digest };
	},
};
const withEditor = shareHost(EDITOR);

async function outputOf(host: HostProcess): Promise<string> {
	asked.length = 0;
	requests.length = 0;
	const { published } = await runTurn(host, await aThread(host), "How many cats?");
	const items = published.flatMap(({ event }) => (event.type === "itemCompleted" ? [event.item] : []));
	return items.find(isCall)?.output ?? assert.fail("no call");
}

function offeredIn(request: Parameters<typeof bodyOf>[0] | undefined): readonly string[] {
	const { tools } = bodyOf(request ?? assert.fail("no request"));
	return tools.flatMap(({ name = "" }) => (name.startsWith("editor__") ? [name] : []));
}

test("of the editor's tools, only those the user named are offered, cleaned and within limits", (t) =>
	withEditor(t, [says("I see.")], async ({ host, model, world }) => {
		await runTurn(host, await aThread(host), "What can you do?");
		assert.deepEqual(offeredIn(model.requests[0]), ["editor__count_cats"]);
		matchesRequests("editor-tools", model, world, ["a turn with a tool of the editor"]);
	}));

test("a call shows every argument and that it leaves the sandbox before the editor runs it; its result is cleaned", (t) =>
	withEditor(t, [calls("editor__count_cats", { where: "here" }), says("Three.")], async ({ host }) => {
		assert.equal(await outputOf(host), "Three cats.");
		const [request] = asked as [ApprovalRequest];
		assert.ok(request.subject.kind === "editorTool");
		const { tool, description, input } = request.subject;
		assert.deepEqual([tool, description, JSON.parse(input)], ["count_cats", "Counts cats.", { where: "here" }]);
		assert.match(request.reason, /outside the sandbox/);
		assert.deepEqual(request.choices, ["allow", "deny", "abort"], "each call is asked about");
		const called = requests.filter(({ method }) => method === "editorTool/call");
		assert.deepEqual(called, [{ method: "editorTool/call", params: { name: "count_cats", input: { where: "here" } } }]);
	}));

test("a call that the user denies never reaches the editor", (t) =>
	withEditor(t, [calls("editor__count_cats", {}), says("Well.")], async ({ host }) => {
		decision = "deny";
		assert.match(await outputOf(host), /denied this/);
		decision = "allow";
		assert.deepEqual(
			requests.map(({ method }) => method),
			["editorTool/list"],
		);
	}));

test("a tool whose description changed since the start of the turn is not called", (t) =>
	withEditor(t, [calls("editor__count_cats", {}), says("Well.")], async ({ host }) => {
		whileAsked = () => {
			listed = [{ ...COUNT, description: "Deletes cats." }];
		};
		assert.match(await outputOf(host), /no longer offers count_cats as it did/);
		whileAsked = () => undefined;
		listed = TOOLS;
		assert.ok(!requests.some(({ method }) => method === "editorTool/call"));
	}));

test("a failure in the editor is a failed call with its reason", (t) =>
	withEditor(t, [calls("editor__count_cats", {}), says("Well.")], async ({ host }) => {
		const before = result;
		result = () => {
			throw new Error("The cats are asleep.");
		};
		assert.match(await outputOf(host), /count_cats failed: .*The cats are asleep\./);
		result = before;
	}));

test("stopping a turn cancels its call in the editor", (t) =>
	withEditor(t, [calls("editor__count_cats", {})], async ({ host }) => {
		const before = result;
		const reached = Promise.withResolvers<void>();
		result = () => {
			reached.resolve();
			return new Promise(() => undefined);
		};
		const threadId = await aThread(host);
		const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text: "How many cats?" }] });
		await reached.promise;
		await host.request(turnInterrupt, { threadId });
		await endOfTurn(host, threadId, turnId);
		result = before;
		assert.ok(host.received.messages.some((message) => message.includes("$/cancelRequest")));
	}));

const NARROWER: readonly (readonly [string, PartialSettings, readonly string[]])[] = [
	["plan mode", { modes: { collaboration: "plan" } }, []],
	["a thread without approvals", { approval: "never" }, []],
	["a thread that names them itself", { editorTools: ["not_named"] }, ["editor__count_cats"]],
];

for (const [where, settings, expected] of NARROWER) {
	test(`in ${where} the offered editor tools are: ${expected.join(", ") || "none"}`, (t) =>
		withEditor(t, [says("I see.")], async ({ host, model }) => {
			await runTurn(host, await aThread(host, { settings }), "What can you do?");
			assert.deepEqual(offeredIn(model.requests[0]), expected);
		}));
}

test("in Restricted Mode the editor is not even asked for its tools", (t) =>
	withEditor(t, [says("I see.")], async ({ host, model }) => {
		host.notify(didChangeTrust, { trusted: false });
		requests.length = 0;
		await runTurn(host, await aThread(host), "What can you do?");
		host.notify(didChangeTrust, { trusted: true });
		assert.deepEqual([requests, offeredIn(model.requests[0])], [[], []]);
	}));

test("a client without an editor is not asked for tools, whatever its settings say", (t) =>
	withHost(t, { script: [says("I see.")], settings: SETTINGS }, async ({ host, model }) => {
		await runTurn(host, await aThread(host), "What can you do?");
		assert.deepEqual(offeredIn(model.requests[0]), []);
		assert.deepEqual(host.received.unknownRequests, []);
	}));
