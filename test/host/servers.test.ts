import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import type { ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import { didChangeTrust } from "../../agent-host/protocol/host/host.ts";
import { ServersSettings } from "../../agent-host/protocol/settings/server-settings.ts";
import { contextInspect, policyShow } from "../../agent-host/protocol/thread/context.ts";
import { isCall } from "../../agent-host/protocol/thread/item.ts";
import { turnInterrupt, turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, type HostProcess, runTurn } from "../support/host-process.ts";
import { MCP_SERVER } from "../support/mcp-server.ts";
import { bodyOf } from "../support/request-page.ts";
import { matchesRequests } from "./rig/scenario.ts";
import { shareHost } from "./rig/share-host.ts";
import { withHost } from "./rig/with-host.ts";

const SERVER = "server.mjs";
const FAKE = { command: process.execPath, args: [SERVER], env: { GIVEN: "by the settings" } };
const ROOM = { contextWindow: 1_000_000 };

/** What the user was asked, and how they answer. */
const asked: ApprovalRequest[] = [];
let answer: "allow" | "allowThread" | "deny" = "allow";

const withServer = shareHost({
	settings: { model: ROOM, servers: ServersSettings.parse({ fake: FAKE }) },
	approve: (request) => {
		asked.push(request);
		return { decision: answer };
	},
});

async function callOf(
	host: HostProcess,
	threadId?: Parameters<typeof runTurn>[1],
): Promise<{ readonly title: string; readonly output: string }> {
	const { published } = await runTurn(host, threadId ?? (await aThread(host)), "Use the server.");
	const items = published.flatMap(({ event }) => (event.type === "itemCompleted" ? [event.item] : []));
	const { title, output = "" } = items.find(isCall) ?? assert.fail("no call");
	return { title, output };
}

test("tools of a configured server are offered under names of their own, and the model is told about the server", (t) =>
	withServer(t, [says("I see.")], async ({ host, model, world }) => {
		writeFileSync(join(world.workspace, SERVER), MCP_SERVER);
		await runTurn(host, await aThread(host), "What can you do?");
		const [request] = model.requests;
		assert.ok(request);
		const { tools } = request.body as { readonly tools: readonly { readonly name: string }[] };
		const served = tools.map(({ name }) => name).filter((name) => name.startsWith("mcp__"));
		assert.deepEqual(
			served,
			["change", "die", "echo", "slow", "try"].map((name) => `mcp__fake__${name}`),
		);
		matchesRequests("mcp-server", model, world, ["a turn with an MCP server"]);
	}));

test("a call asks with every argument, runs what was shown, and its result goes back to the model", (t) =>
	withServer(t, [calls("mcp__fake__echo", { text: "Hello." }), says("Done.")], async ({ host, model }) => {
		asked.length = 0;
		answer = "allow";
		const call = await callOf(host);
		assert.deepEqual(call, { title: "fake: echo", output: "Hello." });
		const [{ subject }] = asked as [ApprovalRequest];
		assert.ok(subject.kind === "serverTool");
		assert.deepEqual(
			[subject.server, subject.tool, JSON.parse(subject.input), subject.description],
			["fake", "echo", { text: "Hello." }, "Says it again."],
		);
		assert.ok(model.requests[1] && bodyOf(model.requests[1]).input.some(({ output }) => output === "Hello."));
	}));

test("an answer for the thread covers the tool with other arguments, and no other tool", (t) => {
	const script = [
		calls("mcp__fake__echo", { text: "One." }),
		calls("mcp__fake__echo", { text: "Two." }),
		calls("mcp__fake__try", { what: "none" }),
		says("Done."),
	];
	return withServer(t, script, async ({ host }) => {
		asked.length = 0;
		answer = "allowThread";
		await callOf(host);
		assert.deepEqual(
			asked.map(({ subject }) => subject.kind === "serverTool" && subject.tool),
			["echo", "try"],
		);
	});
});

test("a denied call never reaches the server", (t) =>
	withServer(t, [calls("mcp__fake__die", {}), says("Fine.")], async ({ host }) => {
		answer = "deny";
		const call = await callOf(host);
		assert.match(call.output, /denied/);
	}));

for (const [what, where, expected] of [
	["write", "made-by-server", /EROFS|EACCES|EPERM/],
	["variable", "GIVEN", /^by the settings$/],
	["variable", "VITRINE_CANARY_SECRET", /^unset$/],
] as const) {
	test(`in its sandbox a server that tries to ${what} ${where} gets ${expected.source}`, (t) =>
		withServer(t, [calls("mcp__fake__try", { what, where }), says("Done.")], async ({ host, world }) => {
			answer = "allow";
			assert.match((await callOf(host)).output, expected);
			assert.equal(existsSync(join(world.workspace, "made-by-server")), false);
		}));
}

test("in its sandbox a server reaches no address that its settings do not name", async (t) => {
	let reached = 0;
	const listener = createServer((_, response) => {
		reached += 1;
		response.end();
	});
	await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
	t.after(() => listener.close());
	const where = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`;
	await withServer(t, [calls("mcp__fake__try", { what: "connect", where }), says("Done.")], async ({ host }) => {
		answer = "allow";
		assert.match((await callOf(host)).output, /ECONNREFUSED|ENETUNREACH|EACCES|EPERM/);
		assert.equal(reached, 0);
	});
});

test("a tool whose description changes is not called under the old one", (t) => {
	const script = [calls("mcp__fake__change", {}), calls("mcp__fake__echo", { text: "x" }), says("Done.")];
	return withServer(t, script, async ({ host }) => {
		answer = "allow";
		const { published } = await runTurn(host, await aThread(host), "Go.");
		const outputs = published.flatMap(({ event }) =>
			event.type === "itemCompleted" && isCall(event.item) ? [event.item.output] : [],
		);
		assert.equal(outputs[0], "changed");
		assert.match(outputs[1] ?? "", /^fake no longer offers echo as it did\./);
	});
});

test("a server that ends in a call is an outcome that the model reads, and it starts again for the next", (t) => {
	const script = [calls("mcp__fake__die", {}), calls("mcp__fake__try", { what: "none" }), says("Done.")];
	return withServer(t, script, async ({ host }) => {
		answer = "allow";
		const { published, end } = await runTurn(host, await aThread(host), "Go.");
		const outputs = published.flatMap(({ event }) =>
			event.type === "itemCompleted" && isCall(event.item) ? [event.item.output] : [],
		);
		assert.match(outputs[0] ?? "", /^fake failed: /);
		assert.deepEqual([outputs[1], end.status], ["done", "completed"]);
	});
});

test("a call that does not end is stopped with the turn, and shows its progress meanwhile", (t) =>
	withServer(t, [calls("mcp__fake__slow", {}), says("Done.")], async ({ host }) => {
		answer = "allow";
		const threadId = await aThread(host);
		const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text: "Go." }] });
		await host.waitFor(threadId, (event) => event.type === "itemDelta" && event.text.includes("step 3"));
		await host.request(turnInterrupt, { threadId });
		const { end } = await endOfTurn(host, threadId, turnId);
		assert.equal(end.status, "interrupted");
	}));

test("in a workspace that is not trusted no server is offered", (t) =>
	withServer(t, [says("Nothing.")], async ({ host, model }) => {
		host.notify(didChangeTrust, { trusted: false });
		await runTurn(host, await aThread(host), "What can you do?");
		assert.doesNotMatch(model.requests[0]?.text ?? "", /mcp__/);
		host.notify(didChangeTrust, { trusted: true });
	}));

test("a server at an address is asked by a turn and not before, with the headers of its settings", async (t) => {
	const seen: string[] = [];
	const web = createServer(async (request, response) => {
		let body = "";
		for await (const chunk of request) body += chunk;
		const { id, method, params } = JSON.parse(body || "{}");
		seen.push(`${request.method} ${method ?? ""} ${request.headers.authorization}`.trim());
		if (id === undefined) return void response.writeHead(request.method === "POST" ? 202 : 405).end();
		const results: Readonly<Record<string, () => unknown>> = {
			initialize: () => ({
				protocolVersion: params.protocolVersion,
				capabilities: { tools: {} },
				serverInfo: { name: "web", version: "1" },
			}),
			"tools/list": () => ({ tools: [{ name: "now", inputSchema: { type: "object" } }] }),
			"tools/call": () => ({ content: [{ type: "text", text: "noon" }] }),
		};
		response.writeHead(200, { "content-type": "application/json" });
		response.end(JSON.stringify({ jsonrpc: "2.0", id, result: results[method]?.() ?? {} }));
	});
	await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
	t.after(() => web.close());
	const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/mcp`;
	const servers = ServersSettings.parse({
		web: { url, headers: { authorization: "Bearer mine" } },
		plain: { url: "http://192.0.2.1/mcp" },
	});
	const script = [calls("mcp__web__now", {}), says("Done.")];
	const options = { settings: { model: ROOM, servers }, script, approve: () => ({ decision: "allow" as const }) };
	await withHost(t, options, async ({ host, model }) => {
		const threadId = await aThread(host);
		await host.request(policyShow, { threadId });
		await host.request(contextInspect, { threadId });
		assert.equal(seen.length, 0);
		assert.equal((await callOf(host, threadId)).output, "noon");
		assert.ok(seen.length >= 4 && seen.every((line) => line.endsWith("Bearer mine")), seen.join("\n"));
		assert.match(model.requests[0]?.text ?? "", /plain: not available now/);
	});
});
