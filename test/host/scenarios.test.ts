import assert from "node:assert/strict";
import { test } from "node:test";
import { didChangeTrust } from "../../agent-host/protocol/host.ts";
import { turnInterrupt } from "../../agent-host/protocol/turn.ts";
import type { World } from "../support/canaries.ts";
import type { FakeModel } from "../support/fake-model.ts";
import { calls, callsAll, holds, says, thinks, together } from "../support/fake-model-steps.ts";
import { aThread, runTurn, startHeldTurn } from "../support/host-process.ts";
import { bodyOf, matchesPage, renderPage, type Volatile } from "../support/request-page.ts";
import { withHost } from "./rig/with-host.ts";

test("first turn", (t) =>
	withHost(t, { script: [says("Hello.")] }, async ({ host, model, world }) => {
		await runTurn(host, await aThread(host), "first question");
		matchesPage("first-turn", pageOf(model, world, ["first turn"]));
	}));

test("first turn in an untrusted workspace", (t) =>
	withHost(t, { script: [says("Hello.")], trusted: false }, async ({ host, model, world }) => {
		await runTurn(host, await aThread(host), "first question");
		matchesPage("first-turn-untrusted", pageOf(model, world, ["first turn"]));
	}));

test("first turn without a folder", (t) =>
	withHost(t, { script: [says("Hello.")], folders: () => [] }, async ({ host, model, world }) => {
		await runTurn(host, await aThread(host), "first question");
		matchesPage("first-turn-without-folder", pageOf(model, world, ["first turn"]));
	}));

test("an unchanged second turn adds nothing but the message", (t) =>
	withHost(
		t,
		{ script: [together(thinks("hm"), says("One.")), says("Two."), says("Three.")] },
		async ({ host, model, world }) => {
			const threadId = await aThread(host);
			for (const text of ["first question", "second question", "third question"]) await runTurn(host, threadId, text);
			assertPrefixes(model);
			matchesPage("unchanged-turns", pageOf(model, world, ["first turn", "second turn", "third turn"]));
		},
	));

test("the turn after an interrupt", (t) => {
	const step = holds("Half an answer", "");
	return withHost(t, { script: [step, says("Again.")] }, async ({ host, model, world }) => {
		const { threadId } = await startHeldTurn(host, step, { text: "first question" });
		await host.request(turnInterrupt, { threadId });
		await runTurn(host, threadId, "second question");
		assertPrefixes(model);
		matchesPage("after-interrupt", pageOf(model, world, ["interrupted turn", "next turn"]));
	});
});

test("a turn with tools", (t) => {
	const script = [
		together(
			thinks("Look first."),
			says("Let me look."),
			callsAll([
				["list_files", { pattern: "*.md" }],
				["read_file", { path: "README.md" }],
			]),
		),
		calls("read_file", { path: "link-to-file" }),
		says("It greets people."),
		says("You are welcome."),
	];
	return withHost(t, { script }, async ({ host, model, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "What is this project?");
		await runTurn(host, threadId, "Thanks.");
		assertPrefixes(model);
		matchesPage("tool-turn", pageOf(model, world, ["first step", "second step", "third step", "next turn"]));
	});
});

test("trust that is granted between two turns is told once", (t) =>
	withHost(t, { script: () => says("ok"), trusted: false }, async ({ host, model, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "first question");
		host.notify(didChangeTrust, { trusted: true });
		await runTurn(host, threadId, "second question");
		await runTurn(host, threadId, "third question");
		assertPrefixes(model);
		matchesPage("trust-granted", pageOf(model, world, ["untrusted turn", "trusted turn", "unchanged turn"]));
	}));

/** The input of each request begins with all bytes of the one before, so that a provider's cache holds. */
function assertPrefixes(model: FakeModel): void {
	const inputs = model.requests.map(({ text }) => inputBytes(text));
	for (const [index, input] of inputs.entries()) {
		const before = inputs[index - 1] ?? "[";
		assert.ok(input.startsWith(before.replace(/\]$/, "")), `request ${index + 1} changes what was said before`);
	}
	const fixed = model.requests.map((request) => ({ ...bodyOf(request), input: [] }));
	for (const body of fixed) assert.deepEqual(body, fixed[0]);
}

/** The array after "input": as it stands in the request. */
function inputBytes(text: string): string {
	const input = JSON.stringify((JSON.parse(text) as { input: unknown }).input);
	assert.ok(text.includes(`"input":${input}`), "the request is written without spaces, as JSON.stringify does");
	return input;
}

function pageOf(model: FakeModel, world: World, labels: readonly string[]): string {
	const volatile: readonly Volatile[] = [
		[world.workspace, "<CWD>"],
		[world.root, "<ROOT>"],
	];
	assert.equal(model.requests.length, labels.length);
	const requests = model.requests.map((request, index) => ({ label: labels[index] ?? "", request }));
	return renderPage(requests, volatile);
}
