import { finishInPieces } from "../../patch/pieces.ts";
import { readByteOrderMark } from "../../patch/text-file.ts";
import type { ReviewMark } from "../../protocol/thread/changes.ts";
import { followInPieces, followPlaces, type Overlap } from "../../review/follow-lines.ts";
import { findInPieces, type Hunk } from "../../review/hunks.ts";
import { type Lines, readLinesInPieces } from "../../review/lines.ts";
import type { Snapshots } from "../../store/log/snapshots.ts";
import type { ThreadState, Touch } from "../../store/records/thread-state.ts";
import {
	type FileGlance,
	type FileState,
	glanceAtFile,
	hashNow,
	readFileState,
} from "../../workspace/apply/file-state.ts";
import { isLinkHash } from "../../workspace/apply/hash-bytes.ts";
import type { ReviewPorts } from "./review-ports.ts";

interface Reviewed {
	readonly path: string;
	readonly touches: readonly Touch[];
	/** The number of the thread's touches when the file was looked at; later ones were not. */
	readonly looked: number;
}

/** A file with pending changes, computed against its current content. */
export interface FileUnderReview extends Reviewed {
	/** The file without pending changes, the current file, and the hunks between them. */
	readonly base: Lines;
	readonly now: Lines;
	readonly hunks: readonly Hunk[];
	readonly overlaps: readonly Overlap[];
	/** The byte-order mark of the current file and of the base. */
	readonly mark: string;
	readonly baseMark: string;
	/** SHA-256 of the current content; undefined if there is no file. */
	readonly hash: string | undefined;
}

/** Its changes cannot be computed: it is not text, or a content was not kept. */
export interface StaleFile extends Reviewed {
	readonly stale: string;
}

/** Limit for the files; of more, those that run with the build come first, then the most recently touched ones. */
const MAX_FILES = 500;

/** The files of the thread with pending changes of the agent. */
export async function filesUnderReview(
	state: ThreadState,
	snapshots: Snapshots,
	{ documents, runsWithBuild, now: readClock }: Pick<ReviewPorts, "documents" | "runsWithBuild" | "now">,
	/** `isOwn`: nobody but the agent has edited it. */
	isWanted: (file: TouchedFile, glance: FileGlance, isOwn: boolean) => boolean | Promise<boolean>,
): Promise<readonly (FileUnderReview | StaleFile)[]> {
	const looked = state.touches.length;
	const files = await Promise.all(
		chooseFiles(listTouched(state), runsWithBuild).map(async (file) => {
			const { path, touches, start } = file;
			const glance = await glanceAtFile(path, documents, readClock());
			if (!(await isWanted(file, glance, isAgentsAlone(start.seen, touches, glance)))) return undefined;
			const now = isWhole(glance) ? glance : await readFileState(path, documents);
			const isOwn = isAgentsAlone(start.seen, touches, now);
			return computeHunks({ path, touches, looked }, { start, isOwn, snapshots }, now);
		}),
	);
	return files
		.filter((file) => file !== undefined)
		.filter((file) => "stale" in file || file.hunks.length > 0 || file.overlaps.length > 0);
}

function isWhole(glance: FileGlance): glance is FileState {
	return glance.state !== "file" || "bytes" in glance;
}

/** The files of the thread that the agent has touched since they were last reviewed, and where it began. */
export function listTouched(state: Pick<ThreadState, "touches" | "reviews">): readonly TouchedFile[] {
	const byPath = Map.groupBy(
		state.touches.map((touch, index) => ({ ...touch, index })),
		({ path }) => path,
	);
	return [...byPath].flatMap(([path, touches]) => {
		const mark = state.reviews.get(path);
		const left = touches.filter(({ index }) => index >= (mark?.touches ?? 0));
		if (left.length === 0 && mark?.done !== false) return [];
		const start = mark?.done === false ? mark : { base: left[0]?.before, seen: left[0]?.before };
		return [{ path, touches: left, start, last: touches.at(-1)?.index ?? 0 }];
	});
}

export interface TouchedFile {
	readonly path: string;
	readonly touches: readonly Touch[];
	readonly start: Start;
	/** The number of its last touch in the thread. */
	readonly last: number;
}

/**
 * Whether each change begins with what the one before it left, and the file is as the last one left it: then nobody
 * else has edited it, and what lies between need not be read.
 */
function isAgentsAlone(seen: string | undefined, touches: readonly Touch[], now: FileGlance): boolean {
	if (now.state === "unreadable") return false;
	let last = seen;
	for (const { before, after } of touches) {
		if (before !== last) return false;
		last = after;
	}
	return last === hashNow(now);
}

/** The chosen files, in the order of their last touch. */
function chooseFiles<File extends { readonly path: string; readonly last: number }>(
	files: readonly File[],
	runsWithBuild: (path: string) => boolean,
): readonly File[] {
	const byAge = files.toSorted((a, b) => a.last - b.last);
	if (byAge.length <= MAX_FILES) return byAge;
	// Many files that are touched later must not hide one.
	const marked = new Set(byAge.filter(({ path }) => runsWithBuild(path)));
	const chosen = new Set([...byAge.filter((file) => !marked.has(file)), ...marked].slice(-MAX_FILES));
	return byAge.filter((file) => chosen.has(file));
}

/** Whether the file's content came only from the agent or from review actions. */
export function isKnown({ touches, reviews }: ThreadState, path: string, hash: string | undefined): boolean {
	if (hash !== undefined && reviews.get(path)?.known === hash) return true;
	return touches.some((touch) => touch.path === path && (touch.before === hash || touch.after === hash));
}

type Start = Pick<ReviewMark, "changed"> & { readonly base?: string | undefined; readonly seen?: string | undefined };

async function computeHunks(
	file: Reviewed,
	known: {
		readonly start: Start;
		/** Nobody else has edited the file. */
		readonly isOwn: boolean;
		readonly snapshots: Snapshots;
	},
	now: FileState,
): Promise<FileUnderReview | StaleFile> {
	const { path, touches } = file;
	const { start, isOwn, snapshots } = known;
	const between = isOwn ? [] : touches;
	if (now.state === "unreadable") return { ...file, stale: `${path} ${now.reason}` };
	const changed = start.changed ?? [];
	const names = [
		start.base,
		isOwn && changed.length === 0 ? start.base : start.seen,
		...between.flatMap(({ before, after }) => [before, after]),
	];
	if ([...names, hashNow(now)].some(isLinkHash)) {
		const stale = `${path} is or was a link: its changes can only be kept, or undone with their turn.`;
		return { ...file, stale };
	}
	const contents = await readAll(snapshots, names);
	const nowLines = await finishInPieces(readLinesInPieces(now.state === "file" ? now.bytes : undefined));
	const [base, seen, ...rest] = contents.map((one) => one?.lines);
	if (base === undefined || seen === undefined || nowLines === undefined || rest.includes(undefined)) {
		const stale = `${path} is not text or was too large to back up: its changes can only be kept, or undone with their turn.`;
		return { ...file, stale };
	}
	const steps = between.map((_, index) => ({ before: rest[2 * index] ?? [], after: rest[2 * index + 1] ?? [] }));
	const ends = now.state === "file" && now.isOpen ? "any" : "exact";
	const before = changed.length === 0 ? [] : await finishInPieces(findInPieces(path, base, seen, { ends }));
	const edited = before.filter(({ id }) => changed.includes(id));
	const followed = isOwn
		? { base, overlaps: [], edited: await finishInPieces(followPlaces(edited, seen, nowLines, ends)) }
		: await finishInPieces(followInPieces({ base, seen }, steps, nowLines, ends, edited));
	const about = { ends, edited: followed.edited } as const;
	const hunks = await finishInPieces(findInPieces(path, followed.base, nowLines, about));
	const had = contents[0]?.mark ?? "";
	const mark = now.state === "file" ? readByteOrderMark(now.bytes) : had;
	// Somebody else who has edited the file may have saved it with a mark, or without.
	const baseMark = isOwn ? had : mark;
	const hash = hashNow(now);
	const { base: moved, overlaps } = followed;
	return { ...file, base: moved, overlaps, now: nowLines, hunks, mark, baseMark, hash };
}

/** Sequentially, and each content once: what was found is often what was kept before. */
async function readAll(
	snapshots: Snapshots,
	names: readonly (string | undefined)[],
): Promise<readonly (Content | undefined)[]> {
	const known = new Map<string | undefined, Content | undefined>();
	for (const name of names) if (!known.has(name)) known.set(name, await readContent(snapshots, name));
	return names.map((name) => known.get(name));
}

interface Content {
	readonly lines: Lines;
	/** Its byte-order mark. */
	readonly mark: string;
}

async function readContent(snapshots: Snapshots, name: string | undefined): Promise<Content | undefined> {
	if (name === undefined) return { lines: [], mark: "" };
	const bytes = await snapshots.get(name);
	const lines = bytes && (await finishInPieces(readLinesInPieces(bytes)));
	return lines && { lines, mark: readByteOrderMark(bytes) };
}

/** The lines of a content that was kept; none if there was no file, undefined if it is not text or not there. */
export async function readSnapshotLines(snapshots: Snapshots, name: string | undefined): Promise<Lines | undefined> {
	return (await readContent(snapshots, name))?.lines;
}
