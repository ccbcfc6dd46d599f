import * as z from "zod";
import { describeImage } from "../history/image.ts";
import { HostError } from "../protocol/errors.ts";
import type { PublishedEvent } from "../protocol/events.ts";
import type { ThreadId, TurnId } from "../protocol/ids.ts";
import type { ImageFacts } from "../protocol/image.ts";
import { hashOf, putTogether, takeApart } from "./apart.ts";
import { openBlobs, removeBlobs } from "./blobs.ts";
import { type Home, threadPath } from "./home.ts";
import {
	checkedJson,
	decodeRecord,
	encodeLine,
	RECORD_VERSION,
	RecordBody,
	Reference,
	type ThreadRecord,
} from "./record.ts";
import { readSegments } from "./segments.ts";

/** Characters of a thread that can be brought in. */
const MAX_IMPORT_CHARS = 200_000_000;
/** Numbers that may be missing between two records: those that a repair left out. */
const MAX_GAP = 100_000;

/** A blob as a line of an exported thread. */
const BlobLine = z.object({ blob: z.string(), json: z.string() });

/** A record that names blobs, whatever else it says. */
const NamingLine = z.object({ refs: z.array(Reference) });

/** A record as it may come from anywhere. */
const RecordLine = z.object({
	v: z.literal(RECORD_VERSION),
	n: z.int().min(1),
	at: z.number().min(0).max(8.64e15),
	body: RecordBody,
	refs: z.array(Reference).optional(),
});

/** The records of a thread and all that they name, for another machine to bring in. */
export async function exportRecords(home: Home, threadId: ThreadId): Promise<string> {
	const { records, blobs } = await readExported(home, threadId);
	return [...records, ...blobs].join("");
}

/**
 * Makes a thread of another one as it was at the end of a turn, the newest that ended when none is named. Says whether there
 * was such a turn.
 */
export async function forkRecords(
	home: Home,
	from: ThreadId,
	to: ThreadId,
	throughTurnId: TurnId | undefined,
): Promise<boolean> {
	const { records, blobs } = await readExported(home, from);
	const end = records.findLastIndex((line) => {
		if (!line.includes('"turnCompleted"')) return false;
		const decoded = decodeRecord(line.slice(0, -1));
		if (decoded.state !== "good" || decoded.record.body.kind !== "event") return false;
		const { event } = decoded.record.body;
		return event.type === "turnCompleted" && (throughTurnId === undefined || event.turnId === throughTurnId);
	});
	if (end < 0) return false;
	await importRecords(home, to, [...records.slice(0, end + 1), ...blobs].join(""), "fork");
	return true;
}

/** Brings in what `exportRecords` gave, under a new id. All of it is intact and understood, or nothing is written. */
export async function importRecords(
	home: Home,
	threadId: ThreadId,
	text: string,
	source: "import" | "fork",
): Promise<void> {
	const { header, rest } = await readExport(text);
	const own = [{ ...header, body: { ...header.body, threadId, source } }, ...rest.map(withoutFiles)].map(takeApart);
	const path = threadPath(home, threadId);
	const blobs = openBlobs(home.disk, path);
	const incoming = `${path}.incoming`;
	const lock = await home.lock(path);
	if (!("release" in lock)) throw refuse(`process ${lock.owner} holds its place`);
	try {
		// Nothing that came from elsewhere is shared with other threads.
		for (const apart of own.flatMap((one) => one.apart)) await blobs.put({ ...apart, shelf: "thread" });
		await home.disk.create(incoming, Buffer.concat(own.map(({ line }) => line)));
		await home.disk.rename(incoming, path);
	} catch (error) {
		await home.disk.remove(incoming).catch(() => undefined);
		await removeBlobs(home.disk, path).catch(() => undefined);
		throw error;
	} finally {
		lock.release();
	}
	await home.disk.syncFolder(home.threads);
}

type Header = ThreadRecord & { readonly body: Extract<ThreadRecord["body"], { readonly kind: "thread" }> };

/** The records in what `exportRecords` gave: all of them whole, in order and of one thread, or a refusal. */
export async function readExport(
	text: string,
): Promise<{ readonly header: Header; readonly rest: readonly ThreadRecord[] }> {
	if (text.length > MAX_IMPORT_CHARS) throw refuse(`it has more than ${MAX_IMPORT_CHARS} characters`);
	const records = await parseLines(text);
	const [first, ...rest] = records;
	if (first?.body.kind !== "thread") throw refuse("it does not begin with a thread's header");
	if (rest.some(({ body }) => body.kind === "thread")) throw refuse("it holds more than one thread");
	checkOrder(records);
	return { header: { ...first, body: first.body }, rest };
}

/** A thread as a person would write it down. */
export function toMarkdown(title: string, events: readonly PublishedEvent[]): string {
	const parts = events.flatMap(({ event }) => {
		if (event.type !== "itemCompleted") return [];
		const { item } = event;
		switch (item.kind) {
			case "userMessage":
				return item.messageKind === "plain" ? [`## You\n\n${item.text}${imageLines(item.images)}`] : [];
			case "agentMessage":
				return [`## Vitrine${item.cut === true ? " (cut off)" : ""}\n\n${item.text}`];
			case "command":
			case "fileChange":
			case "plan":
			case "toolCall":
				return [`- ${item.title} (${item.status})`];
			case "reasoning":
			case "contextCompaction":
			case "notice":
				return [];
		}
		return [];
	});
	return `# ${title}\n\n${parts.join("\n\n")}\n`;
}

function imageLines(images: readonly ImageFacts[] = []): string {
	return images.map((image) => `\n\n*${describeImage(image)}*`).join("");
}

/** Lines with their line feeds: the records as they stand on disk, and what they name. */
async function readExported(
	home: Home,
	threadId: ThreadId,
): Promise<{ readonly records: readonly string[]; readonly blobs: readonly string[] }> {
	const path = threadPath(home, threadId);
	const records: string[] = [];
	const named = new Set<string>();
	await readSegments(home.disk, path, ({ bytes }) => {
		const line = bytes.toString("utf8");
		records.push(`${line}\n`);
		const record = line.includes('"refs":[') ? NamingLine.safeParse(checkedJson(line)) : undefined;
		for (const { sha256 } of record?.data?.refs ?? []) named.add(sha256);
		return undefined;
	});
	const stored = openBlobs(home.disk, path);
	const blobs: string[] = [];
	for (const sha256 of named) {
		const json = await stored.get(sha256);
		if (json !== undefined) blobs.push(encodeLine({ blob: sha256, json }));
	}
	return { records, blobs };
}

/** Every record whole, with what it names, or a refusal. */
async function parseLines(text: string): Promise<readonly ThreadRecord[]> {
	const blobs = new Map<string, string>();
	const records: ThreadRecord[] = [];
	for (const [index, line] of text.split("\n").entries()) {
		if (line === "") continue;
		const value = checkedJson(line);
		if (value === undefined) throw refuse(`line ${index + 1} is damaged`);
		const blob = BlobLine.safeParse(value);
		if (blob.success) {
			if (hashOf(blob.data.json) !== blob.data.blob) throw refuse(`line ${index + 1} is damaged`);
			blobs.set(blob.data.blob, blob.data.json);
			continue;
		}
		const record = RecordLine.safeParse(value);
		if (!record.success) throw refuse(`line ${index + 1} is from a newer Vitrine or no record`);
		records.push(record.data as ThreadRecord);
	}
	return Promise.all(records.map((record) => makeWhole(record, blobs)));
}

async function makeWhole(record: ThreadRecord, blobs: ReadonlyMap<string, string>): Promise<ThreadRecord> {
	const whole = await putTogether(record, async (sha256) => blobs.get(sha256), "all");
	if (whole.refs !== undefined)
		throw refuse("a text that it names is missing. Repair the thread, then export it again");
	// What came out of a blob has not been looked at yet.
	if (record.refs !== undefined && !RecordBody.safeParse(whole.body).success) throw refuse("a text in it is no text");
	return whole;
}

/** Snapshots stay where they were made: nothing that is brought in may change a file here. */
function withoutFiles(record: ThreadRecord): ThreadRecord {
	const { body } = record;
	if (body.kind === "touch") return { ...record, body: { ...body, files: [] } };
	if (body.kind === "review") return { ...record, body: { ...body, marks: [] } };
	if (body.kind !== "event" || body.event.type !== "restored") return record;
	return { ...record, body: { ...body, event: { ...body.event, files: [] } } };
}

function checkOrder(records: readonly ThreadRecord[]): void {
	let [n, seq] = [0, 0];
	for (const { n: number, body } of records) {
		const isNext = number > n && number <= n + MAX_GAP;
		const isNextEvent = body.kind !== "event" || (body.seq > seq && body.seq <= seq + MAX_GAP);
		if (!isNext || !isNextEvent) throw refuse("its records are not in order");
		n = number;
		if (body.kind === "event") seq = body.seq;
	}
}

function refuse(reason: string): HostError {
	return new HostError("input-refused", `The file cannot be brought in: ${reason}. Nothing was changed.`);
}
