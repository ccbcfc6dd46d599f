import assert from "node:assert/strict";
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ResultOf } from "../../agent-host/protocol/method.ts";
import {
	threadExport,
	threadImport,
	threadList,
	threadRead,
	threadRepair,
	threadVerify,
} from "../../agent-host/protocol/thread/thread.ts";
import { encodeLine } from "../../agent-host/store/records/record.ts";
import { holds, says } from "../support/fake-model-steps.ts";
import { aThread, runTurn } from "../support/host-process.ts";
import { fileHolding } from "./rig/files.ts";
import { shareHost } from "./rig/share-host.ts";
import { withHost } from "./rig/with-host.ts";

const withShared = shareHost({});

test("an exported thread can be imported as another one: the same words, and a notice of what stayed behind", (t) =>
	withShared(t, [says("One."), says("Two.")], async ({ host }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "first");
		const { text } = await host.request(threadExport, { threadId });
		const copy = await host.request(threadImport, { text });
		assert.notEqual(copy.threadId, threadId);
		const [original, brought] = await Promise.all(
			[threadId, copy.threadId].map((id) => host.request(threadRead, { threadId: id })),
		);
		const said = ({ events }: ResultOf<typeof threadRead>) =>
			events.flatMap(({ event }) => (event.type === "itemCompleted" ? [event.item] : []));
		const notice = brought === undefined ? undefined : said(brought).at(-1);
		assert.match(notice?.kind === "notice" ? notice.text : "", /imported.* your own model, settings and permissions/);
		assert.deepEqual(brought && said(brought).slice(0, -1), original && said(original));
		assert.deepEqual([brought?.title, brought?.events.map(({ seq }) => seq)], [original?.title, [1, 2, 3, 4, 5, 6, 7]]);
		assert.equal((await runTurn(host, copy.threadId, "go on")).text, "Two.");
	}));

test("a thread exported as Markdown holds what both sides said", (t) =>
	withShared(t, [says("The **answer**.")], async ({ host }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "The question?");
		const { text } = await host.request(threadExport, { threadId, format: "markdown" });
		assert.equal(text, "# The question?\n\n## You\n\nThe question?\n\n## Vitrine\n\nThe **answer**.\n");
	}));

test("a damaged or cut file, or one that is no thread, is not imported, and nothing is written", (t) =>
	withShared(t, [says("One.")], async ({ host }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "first");
		const { text } = await host.request(threadExport, { threadId });
		const before = await host.request(threadList, {});
		const lines = text.split("\n");
		for (const bad of ["", "hello", text.replace("first", "fjrst"), lines.slice(1).join("\n"), text.slice(0, -20)]) {
			await assert.rejects(host.request(threadImport, { text: bad }), /can't be imported: .* No changes were made\./);
		}
		assert.deepEqual(await host.request(threadList, {}), before);
	}));

test("records that no host would write are not imported, although their checksums are right", (t) =>
	withShared(t, [says("One.")], async ({ host }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "first");
		const { text } = await host.request(threadExport, { threadId });
		const before = await host.request(threadList, {});
		const header = text.slice(0, text.indexOf("\n") + 1);
		const forged = (body: unknown, more: object = {}) => text + encodeLine({ v: 1, n: 900, at: 1, body, ...more });
		const title = { type: "titleChanged", title: "x" };
		const bad = [
			text + header,
			forged({ kind: "items", turnId: "t", items: "none" }),
			forged({ kind: "items", turnId: "t", items: [{ kind: "userMessage", text: 1 }] }),
			forged({ kind: "event", seq: 1e15, event: title }),
			forged({ kind: "event", seq: 1, event: title }),
			forged({ kind: "event", seq: 900, event: { type: "itemCompleted", turnId: "t", item: null } }),
			forged({ kind: "told", snapshot: {} }, { n: 1 }),
			forged({ kind: "told", snapshot: {} }, { at: -1 }),
			forged({ kind: "told", snapshot: {} }, { refs: [{ path: ["__proto__", "x"], sha256: "0".repeat(64) }] }),
			forged({ kind: "told", snapshot: {} }, { refs: [{ path: ["snapshot"], sha256: "../../secret" }] }),
		];
		for (const one of bad) {
			await assert.rejects(host.request(threadImport, { text: one }), /can't be imported: .* No changes were made\./);
		}
		assert.deepEqual(await host.request(threadList, {}), before);
	}));

test("verify counts intact records and names the others; repair leaves out the damaged one and keeps the old file", (t) =>
	withHost(t, { script: [says("One."), says("Two."), says("Three.")] }, async ({ host, another, world }) => {
		const whole = await aThread(host);
		await runTurn(host, whole, "whole");
		const damaged = await aThread(host);
		await runTurn(host, damaged, "damaged");
		await host.close();
		const file = fileHolding(world.home, "damaged");
		const before = readFileSync(file, "utf8").replace('"usage"', '"usagf"');
		writeFileSync(file, before);
		const next = await another();
		assert.deepEqual(await next.request(threadVerify, {}), {
			threads: 2,
			verified: 1,
			problems: [{ threadId: damaged, problem: "1 unreadable record" }],
		});
		assert.deepEqual(await next.request(threadRepair, { threadId: damaged }), { leftOut: 1 });
		assert.deepEqual(await next.request(threadVerify, {}), { threads: 2, verified: 2, problems: [] });
		assert.equal(readFileSync(`${file}.before-repair`, "utf8"), before);
		assert.equal((await runTurn(next, damaged, "and on")).text, "Three.");
	}));

test("verify names a torn end, and opening the thread sets it aside", (t) =>
	withShared(t, [says("One.")], async ({ host, another, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "torn");
		await host.close();
		appendFileSync(fileHolding(world.home, "torn"), "0123");
		const next = await another();
		assert.deepEqual((await next.request(threadVerify, {})).problems, [
			{ threadId, problem: "its last record is incomplete" },
		]);
		await next.request(threadRead, { threadId });
		assert.deepEqual((await next.request(threadVerify, {})).problems, []);
		const aside = readdirSync(join(world.home, "threads")).filter((name) => name.includes(".torn-"));
		assert.equal(aside.length, 1);
	}));

test("a second host follows a running thread live, and can take over when the first is gone", (t) => {
	const step = holds("Half", " and half");
	return withShared(t, [step, says("Mine now.")], async ({ host, another }) => {
		const threadId = await aThread(host);
		const running = runTurn(host, threadId, "shared");
		await step.reached;
		const other = await another();
		await other.request(threadRead, { threadId });
		step.release();
		await running;
		await other.waitFor(threadId, (event) => event.type === "turnCompleted");
		const text = other.events(threadId).findLast(({ event }) => event.type === "itemCompleted")?.event;
		assert.equal(
			text?.type === "itemCompleted" && text.item.kind === "agentMessage" && text.item.text,
			"Half and half",
		);
		await host.close();
		assert.equal((await runTurn(other, threadId, "my turn")).text, "Mine now.");
	});
});
