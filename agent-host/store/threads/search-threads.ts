import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { HostError } from "../../protocol/errors.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import { say } from "../../protocol/say.ts";
import type { Home, ThreadFile } from "../home/home.ts";
import { decodeRecord } from "../records/record.ts";

/** Limit for the searchable text of a thread. */
const MAX_INDEXED_CHARS = 4_000_000;
const MAX_WORDS = 20;
const SNIPPET_WORDS = 12;
const BUSY_MS = 2_000;
/** Threads that are read at the same time. */
const FILES_AT_ONCE = 20;
/** They go into the index together, because each time it is synced: at most so many, with about so much text. */
const MAX_PENDING = 500;
const MAX_PENDING_CHARS = 2_000_000;
/** Change the number when the content's format changes. */
const FILE = "search-2.db";

/** How a caller follows a long task and stops it. */
export interface Watch {
	readonly signal?: AbortSignal;
	readonly report?: (done: number, of: number) => void;
}

export interface Found {
	readonly threadId: ThreadId;
	/** The text around the first match. */
	readonly found: string;
}

/**
 * Threads whose prompts or answers contain all words of the query. The index is a separate file that only saves work:
 * what changed since is read again, and it can be deleted at any time.
 */
export async function searchThreads(
	home: Home,
	files: readonly ThreadFile[],
	query: string,
	watch: Watch = {},
): Promise<readonly Found[]> {
	const words = query.match(/[\p{L}\p{N}_]+/gu)?.slice(0, MAX_WORDS) ?? [];
	if (words.length === 0) return [];
	const wanted = words.map((word) => `"${spaceOut(word).trim()}"*`).join(" ");
	const path = home.problem === undefined ? join(home.folder, FILE) : ":memory:";
	try {
		return await find(home, files, path, wanted, watch);
	} catch (error) {
		watch.signal?.throwIfAborted();
		// Damaged: rebuilt from the threads, once. If another window uses it, we wait once more.
		if (isOfDatabase(error) && !String(error).includes("locked")) await home.disk.remove(path).catch(() => undefined);
	}
	return find(home, files, path, wanted, watch).catch((error: unknown) => {
		watch.signal?.throwIfAborted();
		const why = error instanceof Error ? error.message : String(error);
		throw new HostError("storage-unavailable", say("search-failed", { reason: why, path }));
	});
}

function isOfDatabase(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === "ERR_SQLITE_ERROR";
}

async function find(
	home: Home,
	files: readonly ThreadFile[],
	path: string,
	wanted: string,
	watch: Watch,
): Promise<readonly Found[]> {
	const { DatabaseSync } = await import("node:sqlite");
	const database = new DatabaseSync(path, { timeout: BUSY_MS });
	try {
		database.exec(`CREATE TABLE IF NOT EXISTS files (threadId TEXT PRIMARY KEY, size INTEGER, modified REAL);
			CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5(threadId UNINDEXED, text)`);
		await refresh(home, files, database, watch);
		const rows = database
			.prepare(
				`SELECT threadId, snippet(texts, 1, '', '', ' … ', ${SNIPPET_WORDS}) AS found FROM texts WHERE texts MATCH ?`,
			)
			.all(wanted) as unknown as readonly Found[];
		return rows.map(({ threadId, found }) => ({ threadId, found: found.replaceAll(SPACED, "$1") }));
	} finally {
		database.close();
	}
}

/** Scripts without spaces between words: each letter is a word of the index, and a word is a phrase. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;
const SPACED = new RegExp(` ?(${UNSPACED.source}) ?`, "gu");

function spaceOut(text: string): string {
	return text.replaceAll(UNSPACED, " $& ");
}

async function refresh(
	home: Home,
	files: readonly ThreadFile[],
	database: DatabaseSync,
	{ signal, report }: Watch,
): Promise<void> {
	const known = new Map(
		database
			.prepare("SELECT threadId, size, modified FROM files")
			.all()
			.map((row) => [row.threadId as string, row]),
	);
	const there = new Set<string>(files.map(({ threadId }) => threadId));
	const gone = [...known.keys()].filter((threadId) => !there.has(threadId));
	if (gone.length > 0)
		runTransaction(database, () => {
			for (const threadId of gone) removeThread(database, threadId);
		});
	const changed = files.filter(({ threadId, size, modified }) => {
		const entry = known.get(threadId);
		return entry?.size !== size || entry.modified !== modified;
	});
	let pending: ReadThread[] = [];
	const keep = (): void => {
		// Finding the text of a thread means looking at all of them; of a new one there is none.
		runTransaction(database, () => {
			for (const { file } of pending) if (known.has(file.threadId)) removeThread(database, file.threadId);
			remember(database, pending);
		});
		pending = [];
	};
	for (let from = 0; from < changed.length; from += FILES_AT_ONCE) {
		report?.(from, changed.length);
		const some = changed.slice(from, from + FILES_AT_ONCE);
		const read = await Promise.all(some.map((file) => readThread(home, file)));
		pending.push(...read.filter((thread) => thread !== undefined));
		const chars = pending.reduce((sum, { text }) => sum + text.length, 0);
		if (signal?.aborted || pending.length >= MAX_PENDING || chars >= MAX_PENDING_CHARS) keep();
		// What is in the index stays there for the next search.
		signal?.throwIfAborted();
	}
	if (pending.length > 0) keep();
}

interface ReadThread {
	readonly file: ThreadFile;
	readonly text: string;
}

function remember(database: DatabaseSync, threads: readonly ReadThread[]): void {
	const [files, texts] = [
		database.prepare("INSERT OR REPLACE INTO files VALUES (?, ?, ?)"),
		database.prepare("INSERT INTO texts VALUES (?, ?)"),
	];
	for (const { file, text } of threads) {
		files.run(file.threadId, file.size, file.modified);
		texts.run(file.threadId, text);
	}
}

/** In one transaction, which syncs once; nothing is awaited while it holds the file. */
function runTransaction(database: DatabaseSync, work: () => void): void {
	database.exec("BEGIN IMMEDIATE");
	try {
		work();
		database.exec("COMMIT");
	} catch (error) {
		database.exec("ROLLBACK");
		throw error;
	}
}

function removeThread(database: DatabaseSync, threadId: string): void {
	database.prepare("DELETE FROM files WHERE threadId = ?").run(threadId);
	database.prepare("DELETE FROM texts WHERE threadId = ?").run(threadId);
}

/** Undefined if it cannot be read now; the next search tries it again. */
async function readThread(home: Home, file: ThreadFile): Promise<ReadThread | undefined> {
	const text = await readText(home, file).catch(() => undefined);
	return text === undefined ? undefined : { file, text };
}

async function readText(home: Home, file: ThreadFile): Promise<string> {
	const contents = await Promise.all(file.segments.map((path) => home.disk.read(path)));
	const lines = Buffer.concat(contents).toString("utf8").split("\n");
	return spaceOut(lines.flatMap(spokenIn).join("\n").slice(0, MAX_INDEXED_CHARS));
}

function spokenIn(line: string): readonly string[] {
	if (!line.includes('"userMessage"') && !line.includes('"agentMessage"')) return [];
	const decoded = decodeRecord(line);
	if (decoded.state !== "good" || decoded.record.body.kind !== "event") return [];
	const { event } = decoded.record.body;
	if (event.type !== "itemCompleted") return [];
	return event.item.kind === "userMessage" || event.item.kind === "agentMessage" ? [event.item.text] : [];
}
