import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { permissionLedger } from "../../agent-host/protocol/approval/ledger.ts";
import { ThreadId, TurnId } from "../../agent-host/protocol/ids.ts";
import type { Method, ParamsOf } from "../../agent-host/protocol/method.ts";
import { contextInspect, policyShow } from "../../agent-host/protocol/thread/context.ts";
import { reviewList } from "../../agent-host/protocol/thread/review.ts";
import * as threads from "../../agent-host/protocol/thread/thread.ts";
import { NOTHING_SPENT } from "../../agent-host/spending/spent.ts";
import type { RecordBody, ThreadRecord } from "../../agent-host/store/records/record.ts";
import { withHost } from "../host/rig/with-host.ts";
import { messagesFor } from "../security/full-thread.ts";
import { createRandom } from "../support/crash.ts";
import { says } from "../support/fake-model-steps.ts";
import { type HostProcess, RpcError, runTurn } from "../support/host-process.ts";
import { mutateThread } from "../support/mutate-thread.ts";
import { writeSealed } from "../support/sealed-thread.ts";

const FILES = Number(process.env.FILES ?? (process.env.VITRINE_FULL === "1" ? 2_500 : 40));
const SEED = Number(process.env.VITRINE_SEED ?? 17);
/** Files that lie in the home at a time. */
const BATCH = process.env.VITRINE_FULL === "1" ? 100 : 60;
const TURN_EVERY = 20;

/** Records of every kind, with events of nearly every type. */
function everyRecord(threadId: ThreadId): readonly ThreadRecord[] {
	const turnId = TurnId.parse("turn-1");
	const events = messagesFor((place) => [place]).flatMap((message) =>
		message.type === "events" ? message.events : [],
	);
	const fragment = {
		kind: "fragment",
		fragment: "permissions",
		role: "developer",
		origin: "host",
		text: "<permissions>\nx\n</permissions>",
	} as const;
	const bodies: readonly RecordBody[] = [
		{ kind: "thread", threadId, settings: { permissions: { mode: "ask" } }, baseInstructions: "Be. ".repeat(200) },
		{
			kind: "envelope",
			turnId,
			patch: { identity: { model: "m", provider: "demo", budgets: { effective: 1 }, request: {} } },
		},
		...events
			.slice(0, 4)
			.map(({ event }, index): RecordBody => ({ kind: "event", seq: index + 1, event: event as never })),
		{
			kind: "items",
			turnId,
			items: [fragment, { kind: "userMessage", text: "Hello" }, { kind: "agentMessage", text: "Hi" }],
		},
		{ kind: "told", snapshot: {} },
		{ kind: "request", turnId, digest: "0-0-0-0" },
		{ kind: "spent", turnId, spent: { turn: NOTHING_SPENT, thread: NOTHING_SPENT } },
		{
			kind: "items",
			turnId,
			items: [
				{ kind: "toolCall", callId: "c", name: "read_file", arguments: "{}" },
				{ kind: "toolOutput", callId: "c", output: "x" },
			],
		},
		{ kind: "mute", at: 4, line: "[muted]" },
		{ kind: "touch", turnId, files: [{ path: "/nowhere/a.txt", before: "0".repeat(64) }] },
		{ kind: "review", marks: [] },
		{ kind: "rewrite", reason: "rollback", keep: 5, items: [] },
		{ kind: "settings", settings: { permissions: { mode: "readOnly" } } },
		{ kind: "partial", turnId, itemId: "item-1" as never, itemKind: "agentMessage", offset: 0, text: "so far" },
		...events
			.slice(4)
			.map(({ event }, index): RecordBody => ({ kind: "event", seq: index + 5, event: event as never })),
	];
	return bodies.map((body, index) => ({ v: 1, n: index + 1, at: 1_700_000_000_000 + index, body }));
}

/** Refused with a reason, or done: anything else is a bug in the host. */
async function calmly<M extends Method>(host: HostProcess, method: M, params: ParamsOf<M>): Promise<void> {
	try {
		await host.request(method, params);
	} catch (error) {
		const kind = error instanceof RpcError ? (error.data as { readonly kind?: string } | undefined)?.kind : undefined;
		assert.ok(kind !== undefined && kind !== "internal", `${method.name}: ${error}\n${host.received.logs.at(-1)}`);
	}
}

async function lookAt(host: HostProcess, threadId: ThreadId, bytes: Buffer): Promise<void> {
	await calmly(host, threads.threadRead, { threadId });
	await calmly(host, threads.threadRead, { threadId, before: 1_000_000, limit: 5 });
	await calmly(host, threads.threadResume, { threadId });
	await calmly(host, policyShow, { threadId });
	await calmly(host, contextInspect, { threadId });
	await calmly(host, permissionLedger, { threadId, limit: 100 });
	await calmly(host, reviewList, { threadId });
	await calmly(host, threads.threadExport, { threadId, format: "markdown" });
	await calmly(host, threads.threadReplay, { text: bytes.toString("utf8") });
	await calmly(host, threads.threadFork, { threadId });
	await calmly(host, threads.threadImport, { text: bytes.toString("utf8") });
}

/** Every byte that was there is still there: in the file itself, or what was torn at its end beside it. */
function assertKept(folder: string, name: string, before: Buffer): Buffer {
	const after = readFileSync(join(folder, name));
	const whole = before.subarray(0, before.lastIndexOf("\n") + 1);
	const torn = before.subarray(whole.length);
	const isInPlace = after.subarray(0, before.length).equals(before);
	const aside = readdirSync(folder)
		.filter((other) => other.startsWith(`${name}.torn-`))
		.map((other) => readFileSync(join(folder, other)));
	const isAside = after.subarray(0, whole.length).equals(whole) && aside.some((bytes) => bytes.equals(torn));
	assert.ok(isInPlace || isAside, `${name} has lost bytes`);
	return after;
}

test(`${FILES} damaged or forged thread files are listed, opened, searched and imported with no internal error or lost byte`, (t) =>
	withHost(t, { script: () => says("Fine.") }, async ({ host: first, another, world }) => {
		const base = ThreadId.parse("base");
		const original = readFileSync(writeSealed(world.home, base, everyRecord(base)));
		const folder = join(world.home, "threads");
		const random = createRandom(SEED);
		let host = first;
		for (let done = 0; done < FILES; done += BATCH) {
			const files = new Map<ThreadId, Buffer>();
			for (let count = done; count < Math.min(FILES, done + BATCH); count += 1) {
				const threadId = ThreadId.parse(`mutated-${count}`);
				// Half of them are under the name that their seals were made for.
				const own = count % 2 === 0 ? original : readFileSync(writeSealed(world.home, threadId, everyRecord(threadId)));
				const bytes = mutateThread(own, random);
				files.set(threadId, bytes);
				writeFileSync(join(folder, `${threadId}.jsonl`), bytes);
			}
			await calmly(host, threads.threadList, {});
			await calmly(host, threads.threadSearch, { query: "Hello" });
			await calmly(host, threads.threadVerify, {});
			let turn = 0;
			for (const [threadId, bytes] of files) {
				await lookAt(host, threadId, bytes);
				turn += 1;
				if (turn % TURN_EVERY !== 0) continue;
				const ended = await runTurn(host, threadId, "Go on.").catch((error: unknown) => error);
				if (ended instanceof RpcError) assert.notEqual((ended.data as { kind?: string }).kind, "internal");
				else if (ended instanceof Error) throw ended;
				else assert.notEqual((ended as { end: { error?: { code: string } } }).end.error?.code, "internal");
			}
			await host.close();
			const settled = [...files].map(([threadId, bytes]) => assertKept(folder, `${threadId}.jsonl`, bytes));
			host = await another();
			for (const threadId of files.keys()) await calmly(host, threads.threadRead, { threadId });
			const again = [...files.keys()].map((threadId) => readFileSync(join(folder, `${threadId}.jsonl`)));
			for (const [index, bytes] of settled.entries())
				assert.ok(bytes.equals(again[index] ?? Buffer.alloc(0)), `file ${done + index}`);
			await host.close();
			for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
			host = await another();
		}
	}));
