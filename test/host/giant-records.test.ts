import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { ResultOf } from "../../agent-host/protocol/method.ts";
import {
	threadDelete,
	threadExport,
	threadImport,
	threadList,
	threadRead,
	threadRepair,
	threadVerify,
} from "../../agent-host/protocol/thread/thread.ts";
import { MAX_LINE_BYTES } from "../../agent-host/store/records/externalize.ts";
import { encodeLine } from "../../agent-host/store/records/record.ts";
import type { RecordedRequest } from "../support/fake-model-request.ts";
import { callsAll, floods, type Step, says } from "../support/fake-model-steps.ts";
import { aThread, type HostProcess, runTurn } from "../support/host-process.ts";
import { bodyOf, inputLines } from "../support/request-page.ts";
import { threadFile } from "../support/sigkill-checks.ts";
import { shareRestarts } from "./rig/share-restarts.ts";
import { withHost } from "./rig/with-host.ts";

const PROMPT = "Consider this line of a long log. ".repeat(20_000);
const ANSWER = floods(4_000, "and the answer is as long as the question, ");
const WINDOW = { model: { contextWindow: 10_000_000 } };
const MANY = callsAll(Array.from({ length: 800 }, (_, index) => ["no_such_tool", { number: index }]));

/** Chosen by the latest prompt, since several threads ask at a time. */
function answering(request: RecordedRequest): Step {
	const { input } = bodyOf(request);
	if (input.at(-1)?.type === "function_call_output") return says("Done.");
	const asked = inputLines(request).at(-1) ?? "";
	if (asked.endsWith("And in short?")) return says("Short.");
	if (asked.endsWith("Call.")) return MANY;
	return asked.endsWith("Go on") ? says("On.") : ANSWER;
}

const testRestarts = shareRestarts({ script: answering, settings: WINDOW });

testRestarts(
	"a giant prompt and answer are stored apart, come back whole, and reach the model again from another host",
	async ({ host, restart, model, world }) => {
		const threadId = await aThread(host);
		assert.equal((await runTurn(host, threadId, PROMPT)).text, ANSWER.text);
		const before = await host.request(threadRead, { threadId });
		const next = await restart(() => assertUsualLines(world.home, threadId));
		assert.deepEqual(await next.request(threadRead, { threadId }), before);
		assert.equal((await runTurn(next, threadId, "And in short?")).text, "Short.");
		const asking = model.requests.find(({ text }) => text.includes("And in short?")) ?? assert.fail();
		const sent = JSON.stringify(bodyOf(asking).input);
		assert.ok(sent.includes(JSON.stringify(PROMPT)) && sent.includes(JSON.stringify(ANSWER.text)));
		assert.deepEqual(await problemsOf(next, threadId), []);
	},
);

testRestarts(
	"a response with thousands of calls is recorded in lines of the usual size",
	async ({ host, restart, world }) => {
		const threadId = await aThread(host);
		assert.equal((await runTurn(host, threadId, "Call.")).text, "Done.");
		const before = await host.request(threadRead, { threadId, limit: 100_000 });
		const next = await restart(() => assertUsualLines(world.home, threadId));
		assert.deepEqual(await next.request(threadRead, { threadId, limit: 100_000 }), before);
	},
);

function assertUsualLines(home: string, threadId: ThreadId): void {
	const lines = readFileSync(threadFile(home, threadId), "utf8").split("\n");
	assert.ok(Math.max(...lines.map((line) => Buffer.byteLength(line) + 1)) <= MAX_LINE_BYTES);
}

/** Other threads of the home are damaged on purpose. */
async function problemsOf(host: HostProcess, threadId: ThreadId): Promise<readonly string[]> {
	const { problems } = await host.request(threadVerify, {});
	return problems.filter((one) => one.threadId === threadId).map(({ problem }) => problem);
}

test("content stored apart goes with its thread: exported, imported, and deleted without leftovers", (t) =>
	withHost(t, { script: [ANSWER], settings: WINDOW }, async ({ host, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, PROMPT);
		const { text } = await host.request(threadExport, { threadId });
		const copy = (await host.request(threadImport, { text })).threadId;
		const original = await host.request(threadRead, { threadId });
		await host.request(threadDelete, { threadId });
		assert.deepEqual(
			readdirSync(join(world.home, "threads")).filter((name) => name.startsWith(threadId)),
			[],
		);
		assert.deepEqual(saidIn(await host.request(threadRead, { threadId: copy })), saidIn(original));
		const lines = text.split("\n");
		const withoutBlob = lines.filter((line) => !line.includes('{"blob":')).join("\n");
		await assert.rejects(host.request(threadImport, { text: withoutBlob }), /a text that it refers to is missing/);
		const forged = text.replace(/"sha256":"[0-9a-f]{64}"/, '"sha256":"../../../../etc/passwd"');
		await assert.rejects(host.request(threadImport, { text: forged }), /is damaged/);
		// Another text under the name of the one that was exported, with a checksum that is right.
		const other = lines.map((line) => {
			const blob = line.includes('{"blob":') ? /"blob":"([0-9a-f]{64})"/.exec(line)?.[1] : undefined;
			return blob === undefined ? line : encodeLine({ blob, json: '"not what was said"' }).trimEnd();
		});
		assert.notDeepEqual(other, lines);
		await assert.rejects(host.request(threadImport, { text: other.join("\n") }), /is damaged/);
		assert.equal((await host.request(threadList, {})).threads.length, 1);
	}));

/** The conversation; what else a thread's turns depended on stays with the host that ran them. */
function saidIn({ events }: ResultOf<typeof threadRead>) {
	const items = events.flatMap(({ event }) => (event.type === "itemCompleted" ? [event.item] : []));
	return items.filter(({ kind }) => kind !== "notice");
}

testRestarts(
	"verify names a missing text; repair keeps the rest of its record, and the thread continues",
	async ({ host, restart, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, PROMPT);
		const next = await restart(() => {
			const folder = `${threadFile(world.home, threadId)}.blobs`;
			const names = readdirSync(folder);
			assert.equal(names.length, 2);
			rmSync(join(folder, names[0] ?? ""));
			writeFileSync(join(folder, names[1] ?? ""), "something else");
		});
		const { events } = await next.request(threadRead, { threadId });
		const texts = events.flatMap(({ event }) =>
			event.type === "itemCompleted" && "text" in event.item ? [event.item.text] : [],
		);
		assert.ok(texts.length === 2 && texts.every((text) => text.startsWith("[Unreadable: a text of ")));
		// Each text stands in the transcript and in the history.
		assert.deepEqual(await problemsOf(next, threadId), ["4 unreadable records"]);
		assert.deepEqual(await next.request(threadRepair, { threadId }), { leftOut: 4 });
		assert.deepEqual(await problemsOf(next, threadId), []);
		assert.deepEqual((await next.request(threadRead, { threadId })).events, events);
		assert.equal((await runTurn(next, threadId, "Go on")).text, "On.");
	},
);

testRestarts(
	"leftovers of a killed delete are gone once a host has listed the threads",
	async ({ host, restart, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, PROMPT);
		const blobs = `${threadFile(world.home, threadId)}.blobs`;
		const next = await restart(() => {
			rmSync(threadFile(world.home, threadId));
			assert.equal(existsSync(blobs), true);
		});
		const { threads } = await next.request(threadList, {});
		assert.ok(threads.every((thread) => thread.threadId !== threadId));
		assert.equal(existsSync(blobs), false);
	},
);

test("missing base instructions are replaced by this release's, and the log says so", (t) =>
	withHost(t, { script: [says("One."), says("Two.")] }, async ({ host, another, model, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "first");
		await host.close();
		rmSync(join(world.home, "texts"), { recursive: true });
		const next = await another();
		assert.equal((await runTurn(next, threadId, "second")).text, "Two.");
		const [first, second] = model.requests.map((request) => bodyOf(request).instructions);
		assert.equal(second, first);
		assert.ok(next.received.logs.some((line) => line.includes("its base instructions are damaged")));
	}));
