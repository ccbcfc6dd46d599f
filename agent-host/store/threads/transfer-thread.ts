import * as z from "zod";
import { BASE_INSTRUCTIONS } from "../../context/base-instructions.ts";
import { ItemId, type ThreadId, TurnId } from "../../protocol/ids.ts";
import { say } from "../../protocol/say.ts";
import type { ThreadEvent } from "../../protocol/thread/events.ts";
import { type Home, threadPath } from "../home/home.ts";
import { removePin } from "../home/sealing-key.ts";
import { openBlobs, removeBlobs } from "../log/blobs.ts";
import { readSegments } from "../log/segments.ts";
import { sealRecords } from "../log/thread-log.ts";
import { createAdmission } from "../records/admit-records.ts";
import { extractConversation, spokenEvent } from "../records/conversation.ts";
import {
	checkedJson,
	decodeRecord,
	encodeLine,
	RECORD_VERSION,
	type RecordBody,
	Reference,
	type ThreadRecord,
} from "../records/record.ts";
import { checkImportLength, parseLines, readExport, refuse } from "./read-export.ts";

/** A record with references to blobs, whatever else it contains. */
const NamingLine = z.object({ refs: z.array(Reference) });

/** The records of a thread and all values they refer to, for import on another machine. */
export async function exportRecords(home: Home, threadId: ThreadId): Promise<string> {
	const { records, blobs } = await readExported(home, threadId);
	return [...records, ...blobs].join("");
}

/**
 * Makes a thread from another one as it was at the end of a turn; without one, as it is now, except for a running turn.
 * Returns whether there was such a turn.
 */
export async function forkRecords(
	home: Home,
	from: ThreadId,
	to: ThreadId,
	throughTurnId: TurnId | undefined,
	now: Forked,
): Promise<boolean> {
	const { records, blobs } = await readExported(home, from);
	const copied = throughTurnId === undefined ? finishedLines(records) : linesThrough(records, throughTurnId);
	if (copied.length === 0) return false;
	const key = await home.seals.key("find");
	const { admit } = createAdmission({ threadId: from, key, pinned: undefined });
	const kept = await parseLines([...copied, ...blobs].join(""), admit);
	const { at } = kept[0] ?? { at: 0 };
	// Its permissions are the thread's current ones: an older choice does not come back with an older turn.
	const header = {
		v: RECORD_VERSION,
		n: 1,
		at,
		body: { kind: "thread", threadId: to, source: now.agent === undefined ? "fork" : "agent", ...now },
	} as const;
	await writeThread(home, to, [header, ...kept.flatMap(withoutFiles)]);
	return true;
}

function linesThrough(records: readonly string[], turnId: TurnId): readonly string[] {
	const end = records.findLastIndex((line) => eventIn(line, "turnCompleted")?.turnId === turnId);
	return records.slice(0, end + 1);
}

/** All lines outside a running turn; nothing if no turn has ended. */
function finishedLines(records: readonly string[]): readonly string[] {
	const ended = records.findLastIndex((line) => eventIn(line, "turnCompleted") !== undefined);
	const began = records.findIndex((line, index) => index > ended && eventIn(line, "turnStarted") !== undefined);
	if (ended < 0) return [];
	if (began < 0) return records;
	const opening = records.findLastIndex((line, index) => index < began && !line.includes('"kind":"envelope"')) + 1;
	const running = eventIn(records[began] ?? "", "turnStarted")?.turnId;
	// What the user does to the thread meanwhile belongs to the thread and not to that turn.
	const besides = records
		.slice(began)
		.filter((line) => eventIn(line, "titleChanged") ?? isOther(eventIn(line, "pinChanged"), running));
	return [...records.slice(0, opening), ...besides];
}

function isOther(event: { readonly turnId: TurnId } | undefined, turnId: TurnId | undefined): boolean {
	return event !== undefined && event.turnId !== turnId;
}

/** The event of this type in a line, regardless of its author. */
function eventIn<T extends ThreadEvent["type"]>(line: string, type: T): Extract<ThreadEvent, { type: T }> | undefined {
	if (!line.includes(`"type":"${type}"`)) return undefined;
	const decoded = decodeRecord(line.slice(0, -1));
	if (decoded.state !== "good" || decoded.record.body.kind !== "event") return undefined;
	const { event } = decoded.record.body;
	return event.type === type ? (event as Extract<ThreadEvent, { type: T }>) : undefined;
}

/** What a fork takes from the thread's effective state; `agent` if it belongs to a sub-agent. */
export type Forked = Pick<
	Extract<RecordBody, { kind: "thread" }>,
	"cwd" | "settings" | "held" | "baseInstructions" | "agent"
>;

/**
 * Imports the conversation of an exported thread, or of another agent's session, under a new id, and nothing else:
 * settings, servers, permissions, instructions and folders in the file are left out. An exported thread must be intact
 * and understood completely, otherwise nothing is written.
 */
export async function importRecords(home: Home, threadId: ThreadId, text: string, now: number): Promise<void> {
	checkImportLength(text);
	const { at, said } = (await readForeign(text, now)) ?? (await readOwn(text));
	const body = {
		kind: "thread",
		threadId,
		settings: {},
		baseInstructions: BASE_INSTRUCTIONS,
		source: "import",
	} as const;
	const last = said.findLast((record) => "turnId" in record.body);
	const turnId = last !== undefined && "turnId" in last.body ? last.body.turnId : TurnId.parse("imported");
	const item = { kind: "notice", id: ItemId.parse("imported"), level: "info", text: IMPORTED } as const;
	const notice: RecordBody = { kind: "event", seq: 1, event: { type: "itemCompleted", turnId, item } };
	const asRecord = (time: number, own: RecordBody): ThreadRecord => ({ v: RECORD_VERSION, n: 1, at: time, body: own });
	await writeThread(home, threadId, [asRecord(at, body), ...said, asRecord(said.at(-1)?.at ?? at, notice)]);
}

/** When a conversation began, and its records. */
interface Imported {
	readonly at: number;
	readonly said: readonly ThreadRecord[];
}

/** Another agent's session; undefined if the file is something else. Turns without a time are as of now. */
async function readForeign(text: string, now: number): Promise<Imported | undefined> {
	// Few threads are imported, so what reads them is not loaded at start.
	const [{ readCodex }, { readClaudeCode }, { toRecords }] = await Promise.all([
		import("../foreign/read-codex.ts"),
		import("../foreign/read-claude-code.ts"),
		import("../foreign/foreign-records.ts"),
	]);
	const foreign = readCodex(text) ?? readClaudeCode(text);
	if (foreign === undefined) return undefined;
	const [first] = foreign.turns;
	if (first === undefined) throw refuse(say("import-nothing-said", { agent: foreign.agent }));
	const said = toRecords(foreign).map((record) => ({ ...record, at: record.at || now }));
	return { at: first.at || now, said };
}

async function readOwn(text: string): Promise<Imported> {
	const { header, rest } = await readExport(text);
	const said = rest.flatMap((record): readonly ThreadRecord[] => {
		const conversation = spokenRecord(record.body);
		return conversation === undefined ? [] : [{ ...record, body: conversation }];
	});
	return { at: header.at, said };
}

/** The notice in the transcript of such a thread. */
const IMPORTED =
	"This thread was imported. Only its conversation was imported; it uses your own model, settings and permissions.";

/** The part of a record that belongs to the conversation; undefined if there is none. */
function spokenRecord(body: RecordBody): RecordBody | undefined {
	// Digests of requests that were made with what is left out, and what others have paid.
	const kept = body.kind === "request" || body.kind === "spent" ? undefined : extractConversation(body);
	if (kept?.kind !== "event") return kept;
	const event = spokenEvent(kept.event);
	return event && { ...kept, event };
}

/** Writes a thread that is not on disk yet, completely or not at all, with its records and events numbered from 1. */
async function writeThread(home: Home, threadId: ThreadId, records: readonly ThreadRecord[]): Promise<void> {
	const key = await home.seals.key("make");
	const { externalized: own, newest } = sealRecords(renumber(records), key, threadId, "");
	const path = threadPath(home, threadId);
	const blobs = openBlobs(home.disk, path);
	const incoming = `${path}.incoming`;
	const lock = await home.lock(path);
	if (!("release" in lock)) throw refuse(say("import-place-taken", { owner: lock.owner }));
	try {
		// Nothing from elsewhere is shared with other threads.
		for (const external of own.flatMap((one) => one.external)) await blobs.put({ ...external, scope: "thread" });
		if (newest !== "") await home.seals.pin(threadId, newest);
		await home.disk.create(incoming, Buffer.concat(own.map(({ line }) => line)));
		await home.disk.rename(incoming, path);
	} catch (error) {
		await home.disk.remove(incoming).catch(() => undefined);
		await removeBlobs(home.disk, path).catch(() => undefined);
		await removePin(home.disk, path);
		throw error;
	} finally {
		lock.release();
	}
	await home.disk.syncFolder(home.threads);
}

function renumber(records: readonly ThreadRecord[]): readonly ThreadRecord[] {
	let seq = 0;
	return records.map(({ v, at, body }, index) => {
		if (body.kind === "event") seq += 1;
		return { v, n: index + 1, at, body: body.kind === "event" ? { ...body, seq } : body };
	});
}

/** Lines with their line feeds: the records as on disk, and the values they refer to. */
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

/**
 * Snapshots and sub-agents stay with the thread that made them, and a fork has its own header and settings, no goal, and
 * is not archived.
 */
function withoutFiles(record: ThreadRecord): readonly ThreadRecord[] {
	const { body } = record;
	if (body.kind === "thread" || body.kind === "settings") return [];
	if (body.kind === "touch") return [{ ...record, body: { ...body, files: [] } }];
	if (body.kind === "review") return [{ ...record, body: { ...body, marks: [] } }];
	if (body.kind !== "event") return [record];
	if (LEFT_BEHIND.has(body.event.type)) return [];
	if (body.event.type !== "restored") return [record];
	return [{ ...record, body: { ...body, event: { ...body.event, files: [] } } }];
}

const LEFT_BEHIND: ReadonlySet<ThreadEvent["type"]> = new Set(["archivedChanged", "goalChanged", "agentChanged"]);
