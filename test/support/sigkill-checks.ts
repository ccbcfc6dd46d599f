import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { PublishedEvent, ThreadEvent } from "../../agent-host/protocol/thread/events.ts";
import { isCall } from "../../agent-host/protocol/thread/item.ts";
import { decodeRecord, type ThreadRecord } from "../../agent-host/store/records/record.ts";

/** Every record of a thread's file. Fails on a line that is not whole and intact, and on a number out of order. */
export function readRecords(home: string, threadId: ThreadId): readonly ThreadRecord[] {
	const text = readFileSync(threadFile(home, threadId), "utf8");
	const lines = text.split("\n");
	assert.equal(lines.pop(), "", "the last line is whole");
	const records = lines.map((line) => {
		const decoded = decodeRecord(line);
		assert.ok(decoded.state === "good", `a ${decoded.state} line: ${line.slice(0, 200)}`);
		return withTexts(decoded.record, [`${threadFile(home, threadId)}.blobs`, join(home, "texts")]);
	});
	assertCounted(
		records.map(({ n }) => n),
		"records",
	);
	return records;
}

/** What a record keeps apart, read without any of the store's own code. */
function withTexts(record: ThreadRecord, folders: readonly string[]): ThreadRecord {
	const { refs = [], ...whole } = record;
	for (const { path, sha256 } of refs) {
		const file = folders.map((folder) => join(folder, sha256)).find((name) => existsSync(name));
		assert.ok(file, `${sha256} is there before the record that names it`);
		const bytes = readFileSync(file);
		assert.equal(createHash("sha256").update(bytes).digest("hex"), sha256);
		const parent = path.slice(0, -1).reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], whole.body);
		(parent as Record<string, unknown>)[path.at(-1) ?? ""] = JSON.parse(bytes.toString("utf8"));
	}
	return whole;
}

export function threadFile(home: string, threadId: ThreadId): string {
	return join(home, "threads", `${threadId}.jsonl`);
}

/** 1, 2, 3 and so on: a gap is something lost, a repetition a second writer. */
export function assertCounted(numbers: readonly (number | undefined)[], what: string): void {
	assert.deepEqual(
		numbers,
		numbers.map((_, index) => index + 1),
		`${what} are numbered without gaps or repeats`,
	);
}

export function durable(published: readonly PublishedEvent[]): readonly PublishedEvent[] {
	return published.filter(({ seq }) => seq !== undefined);
}

export function eventsOf(records: readonly ThreadRecord[]): readonly PublishedEvent[] {
	return records.flatMap(({ at, body }) => (body.kind === "event" ? [{ seq: body.seq, at, event: body.event }] : []));
}

/** Turns one after the other, each with a beginning and an end, nothing of one inside another. */
export function assertTurnsApart(events: readonly ThreadEvent[]): void {
	let open: string | undefined;
	for (const event of events) {
		if (!("turnId" in event)) continue;
		if (event.type === "turnStarted") {
			assert.equal(open, undefined, `turn ${event.turnId} begins inside another`);
			open = event.turnId;
		}
		assert.equal(event.turnId, open, `${event.type} stands outside its turn`);
		if (event.type === "turnCompleted") open = undefined;
	}
	assert.equal(open, undefined, "the last turn has ended");
}

/** No call was begun twice, and none has two outputs. */
export function assertCallsOnce(records: readonly ThreadRecord[]): void {
	const begun = records.flatMap(({ body }) =>
		body.kind === "event" && body.event.type === "itemStarted" && isCall(body.event.item)
			? [body.event.item.callId]
			: [],
	);
	const outputs = records.flatMap(({ body }) =>
		body.kind === "items" ? body.items.flatMap((item) => (item.kind === "toolOutput" ? [item.callId] : [])) : [],
	);
	for (const [what, ids] of Object.entries({ begun, outputs })) {
		assert.deepEqual(
			ids.filter((id, index) => ids.indexOf(id) !== index),
			[],
			`calls with two ${what}`,
		);
	}
}

export function percentile(values: readonly number[], percent: number): number {
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}

/** "p50 12 ms, p95 30 ms" */
export function describeTimes(values: readonly number[]): string {
	return `p50 ${percentile(values, 50).toFixed(0)} ms, p95 ${percentile(values, 95).toFixed(0)} ms`;
}
