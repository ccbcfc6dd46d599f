import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { PublishedEvent } from "../../agent-host/protocol/thread/events.ts";
import { threadList, threadRead, threadResume } from "../../agent-host/protocol/thread/thread.ts";
import { turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { callsAll, holds, says } from "../support/fake-model-steps.ts";
import { aThread, runTurn, startHeldTurn } from "../support/host-process.ts";
import { bodyOf, spokenLines } from "../support/request-page.ts";
import { eventually, fileHolding, textUnder } from "./rig/files.ts";
import { shareHost } from "./rig/share-host.ts";
import { withHost } from "./rig/with-host.ts";

const withShared = shareHost({});

/** One in this many of the records that a crash may leave last is tried; `faults/crash-points` tears every write of plain turns. */
const STEP = process.env.VITRINE_FULL === "1" ? 1 : 3;

const ABORTED =
	"user/turn-aborted: The previous turn was interrupted because the agent host stopped. The last text may be incomplete. Do not assume that any unfinished work was done.";

test("after kill -9 in mid-stream no acknowledged record is lost, and the thread continues", (t) => {
	const step = holds("Half of the answer", ", never sent");
	return withShared(t, [says("One."), step, says("Three.")], async ({ host, another, model, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "first");
		const { turnId } = await startHeldTurn(host, step, { threadId, text: "second" });
		await eventually(() => textUnder(world.home).includes("Half of the answer"), 1_500, "no checkpoint");
		const acknowledged = durable(host.events(threadId));
		await host.killHard();

		const next = await another();
		const listed = (await next.request(threadList, {})).threads;
		assert.deepEqual(
			listed.map((thread) => [thread.threadId, thread.title, thread.turns, thread.running]),
			[[threadId, "first", 2, false]],
		);
		const { last } = await next.request(threadResume, { threadId });
		const { events } = await next.request(threadRead, { threadId });
		assert.equal(events.length, last);
		assert.deepEqual(events.slice(0, acknowledged.length), acknowledged);
		const [text, end] = events.slice(acknowledged.length).map(({ event }) => event);
		assert.ok(text?.type === "itemCompleted" && text.item.kind === "agentMessage");
		assert.deepEqual([text.item.text, text.item.cut], ["Half of the answer", true]);
		const error = { code: "host-ended", message: "The agent host stopped before the turn was done." };
		assert.deepEqual(end, { type: "turnCompleted", turnId, status: "interrupted", error });

		assert.equal((await runTurn(next, threadId, "third")).text, "Three.");
		assert.deepEqual(spokenLines(model.requests[2] ?? assert.fail()), [
			"user: first",
			"assistant: One.",
			"user: second",
			"assistant: Half of the answer",
			ABORTED,
			"user: third",
		]);
	});
});

test("a message whose turn/start was just acknowledged survives kill -9", (t) =>
	withShared(
		t,
		() => says("Still here."),
		async ({ host, another, model }) => {
			const threadId = await aThread(host);
			await host.request(turnStart, { threadId, input: [{ kind: "text", text: "do not lose me" }] });
			await host.killHard();

			const next = await another();
			await next.request(threadResume, { threadId });
			await runTurn(next, threadId, "and now?");
			const lines = spokenLines(model.requests.at(-1) ?? assert.fail());
			assert.deepEqual(
				lines.filter((line) => line.startsWith("user: ")),
				["user: do not lose me", "user: and now?"],
			);
		},
	));

test("whatever record a crash leaves last, the thread opens, its turn is ended, and it continues", (t) => {
	const script = [
		callsAll([
			["read_file", { path: "README.md" }],
			["list_files", {}],
		]),
		says("A small project."),
	];
	return withShared(
		t,
		(_, index) => script[index] ?? says("Going on."),
		async ({ host, another, model, world }) => {
			const threadId = await aThread(host);
			await runTurn(host, threadId, "What is this?");
			await host.close();
			const lines = readFileSync(fileHolding(world.home, "What is this?"), "utf8").trimEnd().split("\n");
			// Up to and with the user's message, a crash comes before the acknowledgement.
			const acknowledged = lines.findIndex((line) => line.includes("userMessage")) + 1;
			const next = await another();
			for (let whole = acknowledged; whole < lines.length; whole += STEP) {
				// Each end of the file in a thread of its own, so that one host finds them all.
				const copy = randomUUID() as ThreadId;
				const kept = lines.slice(0, whole).map((line) => renameThread(line, threadId, copy));
				const torn = lines[whole]?.slice(0, 30);
				writeFileSync(join(world.home, "threads", `${copy}.jsonl`), [...kept, torn].join("\n"));
				await next.request(threadResume, { threadId: copy });
				const { events } = await next.request(threadRead, { threadId: copy });
				assertEnded(events, `cut after line ${whole}`);
				assert.equal((await runTurn(next, copy, "Go on.")).text, "Going on.");
				assertAnswered(model.requests.at(-1) ?? assert.fail());
			}
		},
	);
});

test("damage on disk", (t) =>
	withHost(t, { script: () => says("Ok.") }, async ({ host, another, world }) => {
		const [torn, damaged, whole] = [await aThread(host), await aThread(host), await aThread(host)];
		const fileOf = (threadId: ThreadId) => join(world.home, "threads", `${threadId}.jsonl`);
		for (const threadId of [torn, damaged, whole]) await runTurn(host, threadId, "first");
		const listed = await host.request(threadList, {});
		const before = (threadId: ThreadId) => durable(host.events(threadId));

		await t.test("records are private to the user", () => {
			assert.equal(statSync(fileOf(whole)).mode & 0o077, 0);
		});

		await host.close();
		appendFileSync(fileOf(torn), '0badc0de {"v":1,"n":99,"at":1,"body":{"kind":"ev');
		writeFileSync(join(world.home, "index.json"), '{"garbled');
		const headless = readFileSync(fileOf(whole), "utf8").split("\n").slice(1).join("\n");
		const strangers = { empty: "", headless, foreign: "hello\nworld\n" };
		for (const [name, text] of Object.entries(strangers)) writeFileSync(fileOf(name as ThreadId), text);
		const second = await another();

		await t.test("a garbled index is rebuilt", async () => {
			assert.deepEqual(
				listed.threads.map(({ threadId }) => threadId),
				[whole, damaged, torn],
			);
			assert.deepEqual(await second.request(threadList, {}), listed);
		});

		await t.test(
			"an empty file, a file without a header and a foreign file do not hide the other threads",
			async () => {
				for (const name of Object.keys(strangers)) {
					await assert.rejects(second.request(threadResume, { threadId: name as ThreadId }), { code: 1008 });
				}
				assert.deepEqual(await second.request(threadList, {}), listed);
			},
		);

		await t.test("the user is told once which files are missing from the list, and not of an empty one", () => {
			const found = second.received.warnings.filter(({ code }) => code === "threads");
			const names = [...(found[0]?.message.matchAll(/(\w+)\.jsonl/g) ?? [])].map(([, name]) => name);
			assert.deepEqual([found.length, names.sort()], [1, ["foreign", "headless"]]);
			assert.match(found[0]?.message ?? "", /^Threads are missing from the list because their files can't be read: \//);
		});

		await t.test("a torn last line is set aside, and the rest is kept", async () => {
			assert.deepEqual((await second.request(threadRead, { threadId: torn })).events, before(torn));
			await runTurn(second, torn, "second");
		});

		await t.test("a damaged record in the middle costs only that record", async () => {
			const lines = readFileSync(fileOf(damaged), "utf8").split("\n");
			const usage = lines.findIndex((line) => line.includes('"usage"'));
			lines[usage] = (lines[usage] ?? "").replace('"usage"', '"usagf"');
			writeFileSync(fileOf(damaged), lines.join("\n"));
			const { events } = await second.request(threadRead, { threadId: damaged });
			assert.deepEqual(
				events.map(({ event }) => event.type),
				before(damaged).map(({ event }) => (event.type === "usage" ? "warning" : event.type)),
			);
			assert.equal((await runTurn(second, damaged, "second")).text, "Ok.");
		});

		await second.close();
		const third = await another();

		await t.test("the record after a torn line is readable", async () => {
			const { events } = await third.request(threadRead, { threadId: torn });
			assert.equal(events.length, before(torn).length + durable(second.events(torn)).length);
			assert.equal((await runTurn(third, torn, "third")).text, "Ok.");
		});

		await t.test("a thread file emptied while open does not take the host down", async () => {
			assert.equal((await runTurn(third, whole, "second")).text, "Ok.");
			truncateSync(fileOf(whole), 0);
			assert.equal((await runTurn(third, whole, "third")).text, "Ok.");
		});
	}));

/** A record under the name of another thread, with the checksum that belongs to it. */
function renameThread(line: string, from: ThreadId, to: ThreadId): string {
	const json = line.slice(line.indexOf(" ") + 1).replaceAll(from, to);
	return `${crc32(json).toString(16).padStart(8, "0")} ${json}`;
}

function durable(published: readonly PublishedEvent[]): readonly PublishedEvent[] {
	return published.filter(({ seq }) => seq !== undefined);
}

/** Every turn and every item that was begun has an end. */
function assertEnded(events: readonly PublishedEvent[], where: string): void {
	const begun = (type: "itemStarted" | "itemCompleted") =>
		events.flatMap(({ event }) => (event.type === type && event.item.kind !== "userMessage" ? [event.item.id] : []));
	const ended = new Set<string>(begun("itemCompleted"));
	assert.deepEqual(
		begun("itemStarted").filter((id) => !ended.has(id)),
		[],
		`an item never ends: ${where}`,
	);
	const turns = (type: string) => events.filter(({ event }) => event.type === type).length;
	assert.equal(turns("turnCompleted"), turns("turnStarted"), where);
}

/** Every call of a request has exactly one output, and the user's words are there once. */
function assertAnswered(request: Parameters<typeof bodyOf>[0]): void {
	const { input } = bodyOf(request);
	const ids = (type: string) => input.flatMap((item) => (item.type === type ? [item.call_id] : [])).sort();
	assert.deepEqual(ids("function_call_output"), ids("function_call"));
	assert.deepEqual(
		spokenLines(request).filter((line) => line.startsWith("user: ")),
		["user: What is this?", "user: Go on."],
	);
}

test("a thread's state is saved while it grows, so that after kill -9 the next host starts from there", (t) => {
	// Each is in the log at least once as an event and once as an item: together more than must be added before it pays.
	const long = (turn: number) => `Answer ${turn}. ${"Nothing new. ".repeat(4_500)}End.`;
	const answers = Array.from({ length: 4 }, (_, turn) => says(long(turn)));
	const settings = { model: { contextWindow: 4_000_000 } };
	return withHost(t, { script: [...answers, says("More.")], settings }, async ({ host, another, model, world }) => {
		const threadId = await aThread(host);
		for (let turn = 0; turn < answers.length; turn += 1) await runTurn(host, threadId, `Question ${turn}`);
		const state = join(world.home, "threads", `${threadId}.jsonl.state`);
		await eventually(() => statSync(state, { throwIfNoEntry: false }) !== undefined, 5_000, "nothing was kept");
		const shown = durable(host.events(threadId));
		await host.killHard();

		const next = await another();
		const { last } = await next.request(threadResume, { threadId });
		assert.equal(last, shown.length);
		assert.deepEqual((await next.request(threadRead, { threadId, after: last - 5 })).events, shown.slice(-5));
		assert.equal((await runTurn(next, threadId, "Once more")).text, "More.");
		const [before, now] = model.requests.slice(-2).map((request) => bodyOf(request).input);
		assert.deepEqual(now?.slice(0, before?.length), before);
		const sent = JSON.stringify(now);
		for (let turn = 0; turn < answers.length; turn += 1)
			assert.ok(sent.includes(long(turn)), `answer ${turn} was sent`);
	});
});
