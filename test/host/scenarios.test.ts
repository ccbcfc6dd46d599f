import { test } from "node:test";
import { didChangeTrust } from "../../agent-host/protocol/host/host.ts";
import { turnInterrupt } from "../../agent-host/protocol/thread/turn.ts";
import { calls, callsAll, holds, says, thinks, together } from "../support/fake-model-steps.ts";
import { aThread, runTurn, startHeldTurn } from "../support/host-process.ts";
import { assertPrefixes, matchesRequests } from "./rig/scenario.ts";
import { shareHost } from "./rig/share-host.ts";
import { withHost } from "./rig/with-host.ts";

const withShared = shareHost({});

test("first turn", (t) =>
	withShared(t, [says("Hello.")], async ({ host, model, world }) => {
		await runTurn(host, await aThread(host), "first question");
		matchesRequests("first-turn", model, world, ["first turn"]);
	}));

test("first turn in an untrusted workspace", (t) =>
	withHost(t, { script: [says("Hello.")], trusted: false }, async ({ host, model, world }) => {
		await runTurn(host, await aThread(host), "first question");
		matchesRequests("first-turn-untrusted", model, world, ["first turn"]);
	}));

test("first turn without a folder", (t) =>
	withHost(t, { script: [says("Hello.")], folders: () => [] }, async ({ host, model, world }) => {
		await runTurn(host, await aThread(host), "first question");
		matchesRequests("first-turn-without-folder", model, world, ["first turn"]);
	}));

test("an unchanged second turn adds nothing but the message", (t) =>
	withShared(
		t,
		[together(thinks("hm"), says("One.")), says("Two."), says("Three.")],
		async ({ host, model, world }) => {
			const threadId = await aThread(host);
			for (const text of ["first question", "second question", "third question"]) await runTurn(host, threadId, text);
			assertPrefixes(model);
			matchesRequests("unchanged-turns", model, world, ["first turn", "second turn", "third turn"]);
		},
	));

test("the turn after an interrupt", (t) => {
	const step = holds("Half an answer", "");
	return withShared(t, [step, says("Again.")], async ({ host, model, world }) => {
		const { threadId } = await startHeldTurn(host, step, { text: "first question" });
		await host.request(turnInterrupt, { threadId });
		await runTurn(host, threadId, "second question");
		assertPrefixes(model);
		matchesRequests("after-interrupt", model, world, ["interrupted turn", "next turn"]);
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
	return withShared(t, script, async ({ host, model, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "What is this project?");
		await runTurn(host, threadId, "Thanks.");
		assertPrefixes(model);
		matchesRequests("tool-turn", model, world, ["first step", "second step", "third step", "next turn"]);
	});
});

test("trust that is granted between two turns is told once", (t) =>
	withHost(t, { script: () => says("ok"), trusted: false }, async ({ host, model, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "first question");
		host.notify(didChangeTrust, { trusted: true });
		await runTurn(host, threadId, "second question");
		await runTurn(host, threadId, "third question");
		// With trust come the tools that change things.
		assertPrefixes(model, { toolsFrom: 1 });
		matchesRequests("trust-granted", model, world, ["untrusted turn", "trusted turn", "unchanged turn"]);
	}));
