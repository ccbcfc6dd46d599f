import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { didChangeConfiguration, didChangeTrust } from "../../agent-host/protocol/host/host.ts";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { PartialSettings } from "../../agent-host/protocol/settings/settings.ts";
import { policyShow } from "../../agent-host/protocol/thread/context.ts";
import { threadFork, threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import { turnStart } from "../../agent-host/protocol/thread/turn.ts";
import type { RecordedRequest } from "../support/fake-model-request.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, type HostProcess, runTurn } from "../support/host-process.ts";
import { bodyOf, inputLines } from "../support/request-page.ts";
import { pointAt, withHost } from "./rig/with-host.ts";

const STRICT: PartialSettings = {
	model: { id: "fake-a", reasoningEffort: "low" },
	permissions: { mode: "readOnly" },
	approval: "never",
};
const WIDE: PartialSettings = {
	model: { id: "fake-b", reasoningEffort: "high" },
	permissions: { mode: "workspaceWrite", network: "on" },
	approval: "onRequest",
};

test("a resumed thread keeps its settings; different ones are offered, and apply when the user accepts", (t) =>
	withHost(t, { script: () => says("ok"), settings: STRICT }, async ({ host, another, model }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "one");
		await host.close();
		const next = await another({ settings: pointAt(model, WIDE) });
		await runTurn(next, threadId, "two");
		assert.deepEqual(model.requests.map(modelAndEffort), ["fake-a low", "fake-a low"]);
		assert.equal(await rightsOf(next, threadId), "readOnly off never");
		assert.deepEqual(
			toldLines(model.requests.at(-1)),
			toldLines(model.requests[0]),
			"nothing changed, nothing is told",
		);
		const { offered } = await next.request(threadSettings, { threadId });
		assert.equal(offered.model?.id, "fake-b");
		await next.request(threadSettings, { threadId, settings: offered });
		await runTurn(next, threadId, "three");
		assert.equal(modelAndEffort(model.requests.at(-1)), "fake-b high");
		assert.equal(await rightsOf(next, threadId), "workspaceWrite on onRequest");
		assert.deepEqual((await next.request(threadSettings, { threadId })).offered, {});
	}));

test("stricter settings apply at once: after a restart, in a running host, and when they are wide again", (t) =>
	withHost(t, { script: () => says("ok"), settings: WIDE }, async ({ host, another, model }) => {
		const threadId = await aThread(host, { settings: { permissions: { mode: "workspaceWrite" } } });
		await runTurn(host, threadId, "one");
		await host.close();
		const next = await another({ settings: pointAt(model, { ...WIDE, permissions: { mode: "ask" } }) });
		assert.equal(await rightsOf(next, threadId), "ask off onRequest");
		next.notify(didChangeConfiguration, { settings: pointAt(model, STRICT) });
		assert.equal(await rightsOf(next, threadId), "readOnly off never");
		await runTurn(next, threadId, "two");
		next.notify(didChangeConfiguration, { settings: pointAt(model, WIDE) });
		assert.equal(await rightsOf(next, threadId), "readOnly off never");
		const fork = (await next.request(threadFork, { threadId })).threadId;
		assert.equal(await rightsOf(next, fork), "readOnly off never");
		await next.close();
		assert.equal(await rightsOf(await another(), threadId), "readOnly off never");
	}));

test("a thread whose folder is not open only reads there, whatever a turn requests, and the model is told once", (t) => {
	const patch = "*** Begin Patch\n*** Add File: planted.txt\n+x\n*** End Patch";
	const steps = [
		says("one"),
		calls("read_file", { path: "README.md" }),
		calls("apply_patch", { patch }),
		calls("run_command", { command: "echo x > planted.txt" }),
		says("two"),
		says("three"),
		says("four"),
	];
	return withHost(t, { script: steps }, async ({ host, another, model, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "one");
		await host.close();
		const other = join(world.root, "other");
		mkdirSync(other);
		const next = await another({ folders: [other] });
		const overrides = { settings: { permissions: { mode: "full" as const }, approval: "onRequest" as const } };
		const input = [{ kind: "text" as const, text: "two" }];
		const { turnId } = await next.request(turnStart, { threadId, input, overrides });
		await endOfTurn(next, threadId, turnId);
		const { isFolderOpen, cwd } = await next.request(threadSettings, { threadId });
		assert.deepEqual([isFolderOpen, cwd], [false, world.workspace]);
		const { tools } = bodyOf(model.requests.at(-1) ?? assert.fail());
		assert.ok(!JSON.stringify(tools).includes("apply_patch"));
		assert.ok(!readdirSync(world.workspace).includes("planted.txt"));
		assert.ok(!next.received.messages.some((message) => message.includes("approval/ask")));
		const told = toldLines(model.requests.at(-1));
		assert.match(told.join("\n"), /Permission mode: Read Only/);
		await runTurn(next, threadId, "three");
		assert.equal(toldLines(model.requests.at(-1)).length, told.length);
		// Moved to the folder that is open, it may do what it could.
		await next.request(threadSettings, { threadId, cwd: other });
		assert.equal(await rightsOf(next, threadId), "workspaceWrite off onRequest");
		await runTurn(next, threadId, "four");
		assert.match(toldLines(model.requests.at(-1)).join("\n"), new RegExp(`cwd.*${other}`));
	});
});

test("a thread continues as before when its folder is opened again", (t) =>
	withHost(t, { script: () => says("ok") }, async ({ host, another, world }) => {
		const threadId = await aThread(host, { cwd: world.workspace });
		await runTurn(host, threadId, "one");
		await host.close();
		const elsewhere = await another({ folders: [] });
		assert.equal(await rightsOf(elsewhere, threadId), "readOnly off never");
		await runTurn(elsewhere, threadId, "two");
		await elsewhere.close();
		const back = await another();
		assert.equal(await rightsOf(back, threadId), "workspaceWrite off onRequest");
		assert.ok(readdirSync(world.workspace).length > 0);
	}));

async function rightsOf(host: HostProcess, threadId: ThreadId): Promise<string> {
	const { mode, network, approval } = await host.request(policyShow, { threadId });
	return `${mode} ${network} ${approval}`;
}

function modelAndEffort(request: RecordedRequest | undefined): string {
	const { model, reasoning } = bodyOf(request ?? assert.fail("no request"));
	return `${model} ${Object(reasoning).effort}`;
}

function toldLines(request: RecordedRequest | undefined): readonly string[] {
	return inputLines(request ?? assert.fail("no request")).filter((line) =>
		/^(user|developer)\/(environment|permissions)/.test(line),
	);
}

test("trust granted while a turn runs counts from the next turn on, in every open folder", (t) => {
	const made = (world: { readonly workspace: string }, name: string) => join(`${world.workspace}-two`, name);
	let grant = () => {};
	const script = (request: RecordedRequest, index: number) => {
		const touch = (name: string) =>
			calls("apply_patch", { patch: `*** Begin Patch\n*** Add File: ${join(other, name)}\n+text\n*** End Patch` });
		if (index === 0) grant();
		const steps = [touch("early.txt"), says("one"), touch("later.txt"), says("two")];
		return steps[index] ?? assert.fail(JSON.stringify(request.body).slice(0, 300));
	};
	let other = "";
	const folders = ({ workspace }: { readonly workspace: string }) => {
		other = `${workspace}-two`;
		mkdirSync(other);
		return [workspace, other];
	};
	return withHost(t, { script, trusted: false, folders }, async ({ host, world, model }) => {
		grant = () => host.notify(didChangeTrust, { trusted: true });
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Write there.");
		assert.ok(!existsSync(made(world, "early.txt")));
		await runTurn(host, threadId, "Write there now.");
		assert.ok(existsSync(made(world, "later.txt")));
		assert.match(toldLines(model.requests[2]).join("\n"), /The user trusts this workspace/);
	});
});
