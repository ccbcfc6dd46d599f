import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hostStatus } from "../../agent-host/protocol/host/host.ts";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import { reviewList, threadRestore, threadRestoreRedo } from "../../agent-host/protocol/thread/review.ts";
import { threadDelete, threadFork } from "../../agent-host/protocol/thread/thread.ts";
import { turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { createRandom } from "../support/crash.ts";
import { calls, callsAll, holds, says } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, type HostProcess, runTurn } from "../support/host-process.ts";
import { aPatch } from "../support/patch-files.ts";
import { inputLines } from "../support/request-page.ts";
import { passMicroseconds } from "../support/sigkill.ts";
import { agent, play, whoAsks } from "./rig/play-agents.ts";
import { shareHost } from "./rig/share-host.ts";

const withShared = shareHost({
	settings: { model: { contextWindow: 1_000_000 }, tools: { agentDepth: 2 } },
	approve: () => assert.fail("nobody is asked"),
});

const patches = (...lines: readonly string[]) => calls("apply_patch", { patch: aPatch(...lines) });
const implements_ = (name: string) => callsAll([agent(name, { role: "implement" })]);
const writesTo = (name: string) => calls("message_agent", { agent: name, text: "And now?" });
const oks = Array.from({ length: 8 }, () => says("Ok."));

/** The thread of a sub-agent that another one has started. */
function threadOf(host: HostProcess, parent: ThreadId, name: string): ThreadId {
	const found = host.events(parent).flatMap(({ event }) => (event.type === "agentChanged" ? [event.agent] : []));
	return found.find((one) => one.name === name)?.threadId ?? assert.fail(`no sub-agent ${name}`);
}

/** The texts of these files, by name; undefined for one that is not there. */
function filesIn(folder: string, ...names: readonly string[]) {
	return () =>
		names.map((name) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : undefined));
}

test("a restore reverts later changes of sub-agents at any depth, and undo brings them all back, also after a crash", (t) => {
	const plays = {
		root: [
			...[patches("*** Update File: shared.txt", "@@", "-a", "+b"), implements_("one"), says("I wait."), says("One.")],
			...[writesTo("one"), ...oks],
		],
		one: [
			patches("*** Update File: shared.txt", "@@", "-b", "+c", "*** Add File: by-one.txt", "+made"),
			...[implements_("two"), says("I wait."), says("Made.")],
			...[calls("run_command", { command: "echo d > shared.txt; rm by-one.txt" }), says("Changed.")],
		],
		two: [patches("*** Add File: by-two.txt", "+made"), says("Made.")],
	};
	return withShared(t, play(plays), async ({ host, world, another }) => {
		const files = filesIn(world.workspace, "shared.txt", "by-one.txt", "by-two.txt");
		writeFileSync(join(world.workspace, "shared.txt"), "a\n");
		const start = files();
		const threadId = await aThread(host);
		const { turnId: first } = await runTurn(host, threadId, "Begin.");
		assert.deepEqual(files(), ["c\n", "made\n", "made\n"]);
		const { turnId: second } = await runTurn(host, threadId, "Go on.");
		const end = files();
		assert.deepEqual(end, ["d\n", undefined, "made\n"]);
		const one = threadOf(host, threadId, "one");

		const later = { threadId, turnId: second, what: "files" } as const;
		const preview = await host.request(threadRestore, { ...later, preview: true });
		assert.deepEqual(
			preview.files.map(({ path, state, becomes }) => [path.slice(world.workspace.length + 1), state, becomes]).sort(),
			[
				["by-one.txt", "restored", "created"],
				["shared.txt", "restored", "changed"],
			],
		);
		assert.deepEqual([preview.agents, files()], [[], end], "a preview changes nothing");
		await host.request(threadRestore, later);
		assert.deepEqual(files(), ["c\n", "made\n", "made\n"], "of a sub-agent that went on, only what it did since");
		await host.request(threadRestoreRedo, { threadId });
		assert.deepEqual(files(), end);

		const back = await host.request(threadRestore, { threadId, turnId: first, what: "both" });
		assert.deepEqual([back.turns, back.agents, files()], [2, [], start]);
		const pending = async (at: HostProcess) => (await at.request(reviewList, { threadId: one })).files.length;
		assert.equal(await pending(host), 0, "nothing is left to review in the thread of the sub-agent");
		await host.killHard();
		const next = await another();
		const undone = await next.request(threadRestoreRedo, { threadId });
		assert.deepEqual([undone.returned, files()], [2, end]);
		assert.equal(await pending(next), 1);
	});
});

test("a restore is told once to the models of the thread and its sub-agent, and not at all if it was undone", (t) => {
	const plays = {
		root: [implements_("told"), says("I wait."), says("Done."), says("I see."), writesTo("told"), ...oks],
		told: [patches("*** Add File: by-told.txt", "+made"), says("Made."), says("I see.")],
	};
	return withShared(t, play(plays), async ({ host, model, world }) => {
		const threadId = await aThread(host);
		const { turnId } = await runTurn(host, threadId, "Go.");
		const told = (who: string) =>
			inputLines(model.requests.findLast((request) => whoAsks(request) === who) ?? assert.fail()).filter((line) =>
				line.startsWith("user/user-edits"),
			);
		const ask = { threadId, turnId, what: "files" } as const;
		await host.request(threadRestore, ask);
		await host.request(threadRestoreRedo, { threadId });
		await runTurn(host, threadId, "All as it was.");
		assert.deepEqual(told("root"), []);
		await host.request(threadRestore, ask);
		await runTurn(host, threadId, "Go on.");
		const rejected = /by-told\.txt \(rejected\):.*\+made/;
		assert.deepEqual([told("root").length, told("told").length], [1, 1]);
		assert.match(told("root")[0] ?? "", rejected);
		assert.match(told("told")[0] ?? "", rejected);
		assert.deepEqual(filesIn(world.workspace, "by-told.txt")(), [undefined]);
		await runTurn(host, threadId, "And now?");
		assert.equal(told("root").length, 1, "told once");
	});
});

test("while a sub-agent works, restore and undo are refused, and the message names it", (t) => {
	const busy = holds("I am", " done.");
	const plays = {
		root: [implements_("busy"), says("I wait."), ...oks],
		busy: [patches("*** Add File: by-busy.txt", "+made"), says("Made."), busy],
	};
	return withShared(t, play(plays), async ({ host, world }) => {
		const files = filesIn(world.workspace, "by-busy.txt");
		const threadId = await aThread(host);
		const { turnId } = await runTurn(host, threadId, "Go.");
		const ask = { threadId, turnId, what: "files" } as const;
		await host.request(threadRestore, ask);
		const own = threadOf(host, threadId, "busy");
		const input = [{ kind: "text" as const, text: "A word with you." }];
		const { turnId: mine } = await host.request(turnStart, { threadId: own, input });
		await busy.reached;
		const sentence = /The sub-agent busy is working\. Stop it before restoring\./;
		await assert.rejects(host.request(threadRestoreRedo, { threadId }), sentence);
		await assert.rejects(host.request(threadRestore, { ...ask, preview: true }), sentence);
		assert.deepEqual(files(), [undefined]);
		busy.release();
		await endOfTurn(host, own, mine);
		await host.request(threadRestoreRedo, { threadId });
		assert.deepEqual(files(), ["made\n"]);
	});
});

test("a sub-agent with a missing thread is named, the user's later edits stay, and a fork reverts nothing", (t) => {
	const plays = {
		root: [
			callsAll([agent("gone", { role: "implement" }), agent("kept", { role: "implement" }), agent("idle")]),
			...[says("I wait."), ...oks],
		],
		gone: [patches("*** Add File: by-gone.txt", "+made"), says("Made.")],
		kept: [patches("*** Add File: by-kept.txt", "+made", "*** Add File: mine.txt", "+made"), says("Made.")],
		idle: [says("Nothing.")],
	};
	return withShared(t, play(plays), async ({ host, world }) => {
		const files = filesIn(world.workspace, "by-gone.txt", "by-kept.txt", "mine.txt");
		const threadId = await aThread(host);
		const { turnId } = await runTurn(host, threadId, "Go.");
		const { threadId: fork } = await host.request(threadFork, { threadId });
		const none = await host.request(threadRestore, { threadId: fork, turnId, what: "files" });
		assert.deepEqual([none.files, none.agents, files()], [[], [], ["made\n", "made\n", "made\n"]]);
		for (const name of ["gone", "idle"]) {
			await host.request(threadDelete, { threadId: threadOf(host, threadId, name) });
		}
		writeFileSync(join(world.workspace, "mine.txt"), "mine\n");
		const ask = { threadId, turnId, what: "files" } as const;
		const back = await host.request(threadRestore, ask);
		assert.deepEqual(back.agents, ["gone"], "one that changed nothing is not missed");
		assert.deepEqual(back.files.map(({ path, state }) => [path.slice(world.workspace.length + 1), state]).sort(), [
			["by-kept.txt", "restored"],
			["mine.txt", "conflict"],
		]);
		assert.deepEqual(files(), ["made\n", undefined, "mine\n"]);
		await host.request(threadRestore, { ...ask, overwrite: [join(world.workspace, "mine.txt")] });
		assert.deepEqual(files(), ["made\n", undefined, undefined]);
		await host.request(threadRestoreRedo, { threadId });
		assert.deepEqual(files(), ["made\n", undefined, "mine\n"], "what only the user had written comes back");
	});
});

const KILLS = process.env.VITRINE_FULL === "1" ? 60 : 5;

test(`after each of ${KILLS} kills in the middle of a restore or its undo, all agents' files are restored or none are`, (t) => {
	const names = ["1", "2", "3"];
	const adds = (who: string) => patches(...names.flatMap((name) => [`*** Add File: ${who}-${name}.txt`, "+made"]));
	const plays = {
		root: [adds("killed"), callsAll([agent("below", { role: "implement" })]), says("I wait."), ...oks],
		below: [adds("below"), says("Made.")],
	};
	const random = createRandom(1);
	return withShared(t, play(plays), async ({ host: first, world, another }) => {
		const all = ["killed", "below"].flatMap((who) => names.map((name) => `${who}-${name}.txt`));
		const [files, paths] = [filesIn(world.workspace, ...all), all.map((name) => join(world.workspace, name))];
		const journal = join(world.home, "patches");
		const isWriting = () => existsSync(journal) && readdirSync(journal).some((name) => name.endsWith(".plan"));
		const threadId = await aThread(first);
		const { turnId } = await runTurn(first, threadId, "Go.");
		const ask = { threadId, turnId, what: "files" } as const;
		const end = files();
		const gone = end.map(() => undefined);
		let host = first;
		for (let kill = 0; kill < KILLS; kill += 1) {
			for (const path of paths) writeFileSync(path, "made\n");
			if (kill % 2 === 1) await host.request(threadRestore, ask);
			const asked = kill % 2 === 1 ? host.request(threadRestoreRedo, { threadId }) : host.request(threadRestore, ask);
			let isOver = false;
			asked.then(
				() => {
					isOver = true;
				},
				() => undefined,
			);
			while (!isWriting() && !isOver) await new Promise(setImmediate);
			await passMicroseconds(random() * 4_000);
			await host.killHard();
			host = await another();
			while (isWriting()) await host.request(hostStatus, {});
			const now = files();
			assert.deepEqual(now, now[0] === undefined ? gone : end);
			const { files: left } = await host.request(threadRestore, { ...ask, preview: true });
			assert.equal(left.filter(({ state }) => state === "restored").length, now[0] === undefined ? 0 : end.length);
		}
	});
});
