import type { Fragment } from "../../context/fragment.ts";
import { userEdits } from "../../context/fragments/user-actions.ts";
import { HostError } from "../../protocol/errors.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import type { ParsedParamsOf } from "../../protocol/method.ts";
import { say } from "../../protocol/say.ts";
import type { ReviewMark, UserEdit } from "../../protocol/thread/changes.ts";
import type { ReviewedFile, reviewComment } from "../../protocol/thread/review.ts";
import { describeHunk } from "../../review/hunks.ts";
import { withoutMarker } from "../../review/lines.ts";
import type { ThreadState } from "../../store/records/thread-state.ts";
import { type FileGlance, hashNow } from "../../workspace/apply/file-state.ts";
import { byThread } from "../thread/by-thread.ts";
import type { Draft, LiveThread } from "../thread/live-thread.ts";
import { type FileUnderReview, filesUnderReview, type StaleFile, type TouchedFile } from "./pending-files.ts";
import { type Chosen, type Judged, keepChosen, rejectChosen, type ThreadUnderReview } from "./resolve-hunks.ts";
import { asEvents, listManualEdits, listRestoredEdits, markAt } from "./review-marks.ts";
import type { ReviewPorts } from "./review-ports.ts";

/** The user's actions on the changes of a thread. */
export interface Review {
	readonly list: (threadId: ThreadId) => Promise<readonly ReviewedFile[]>;
	/** The file without its pending changes; undefined if it would not exist. */
	readonly base: (threadId: ThreadId, path: string) => Promise<string | undefined>;
	readonly keep: (chosen: Chosen) => Promise<Judged>;
	readonly reject: (chosen: Chosen) => Promise<Judged>;
	readonly comment: (params: Comment) => Promise<void>;
	/** What to tell the model now, and what to record with it. */
	readonly due: (thread: LiveThread) => Promise<DueEdits>;
	/** The same for a turn that does not begin yet; nothing is written. */
	readonly foresee: (thread: LiveThread) => Promise<readonly Fragment[]>;
}

type Comment = ParsedParamsOf<typeof reviewComment>;

interface DueEdits {
	readonly fragments: readonly Fragment[];
	readonly drafts: readonly Draft[];
}

export function createReview(world: ReviewPorts): Review {
	const listFiles = async (threadId: ThreadId) => (await lookAt(world, threadId)).files;
	const queues = byThread(() => ({ last: Promise.resolve<unknown>(undefined) }));
	// One after the other: each must find what the one before has left.
	const judge = <T>(threadId: ThreadId, work: (found: ThreadUnderReview) => Promise<T>): Promise<T> => {
		const queue = queues(threadId);
		const result = queue.last.then(async () => work(await lookToJudge(world, threadId)));
		queue.last = result.catch(() => undefined);
		return result;
	};
	return {
		list: async (threadId) => {
			const { thread, files } = await lookAt(world, threadId);
			const comments = new Map(thread.state().untoldEdits.map(({ hunk, comment }) => [hunk, comment]));
			return files.flatMap((file) => asListed(file, world.runsWithBuild(file.path), comments));
		},
		base: async (threadId, path) => findBase(await listFiles(threadId), path),
		keep: (chosen) => judge(chosen.threadId, (found) => keepChosen(found, chosen)),
		reject: (chosen) => judge(chosen.threadId, (found) => rejectChosen(found, chosen, world.write)),
		comment: (params) => judge(params.threadId, (found) => noteComment(found, params)),
		due: async (thread) => recordEdits(thread, world, await findDueEdits(thread, world)),
		foresee: async (thread) => describeEdits(await findDueEdits(thread, world)),
	};
}

async function lookAt(world: ReviewPorts, threadId: ThreadId): Promise<ThreadUnderReview> {
	const thread = await world.open(threadId);
	const snapshots = world.snapshots(threadId);
	let found: Promise<readonly LiveThread[]> | undefined;
	const above = () => {
		found ??= findAbove(thread, world);
		return found;
	};
	const isPending = async ({ path, touches, start }: TouchedFile, now: FileGlance, isOwn: boolean) => {
		if (now.state === "unreadable") return true;
		const hash = hashNow(now);
		if (hash === start.base) return false;
		if (isOwn || touches.some(({ before, after }) => hash === before || hash === after)) return true;
		// A restore that went back further than this agent's changes.
		return ![thread, ...(await above())].some((one) => isRestored(one.state(), path, hash));
	};
	const files = await filesUnderReview(thread.state(), snapshots, world, isPending);
	return { thread, above, snapshots, files };
}

/** Refused before any file is changed if the outcome could not be recorded. */
async function lookToJudge(world: ReviewPorts, threadId: ThreadId): Promise<ThreadUnderReview> {
	const { refusal } = await world.open(threadId);
	if (refusal !== undefined) throw refusal;
	return lookAt(world, threadId);
}

function isRestored({ undos }: ThreadState, path: string, hash: string | undefined): boolean {
	return undos.some(({ files }) => files?.files.some((file) => file.path === path && file.after === hash));
}

/** The threads that a sub-agent works for, as far as they know it and can be written. */
async function findAbove(thread: LiveThread, world: ReviewPorts): Promise<readonly LiveThread[]> {
	const { threadId, agent } = thread.state();
	const parent = agent && (await world.open(agent.parent).catch(() => undefined));
	if (parent === undefined || parent.refusal !== undefined) return [];
	const isItsOwn = parent.state().agents.has(threadId);
	return isItsOwn ? [parent, ...(await findAbove(parent, world))] : [];
}

function asListed(
	file: FileUnderReview | StaleFile,
	runsWithBuild: boolean,
	comments: ReadonlyMap<string | undefined, string | undefined>,
): readonly ReviewedFile[] {
	const turnIds = [...new Set(file.touches.map(({ turnId }) => turnId))];
	const about = { path: file.path, turnIds, runsWithBuild };
	if ("stale" in file) return [{ ...about, operation: "update", hunks: [], stale: file.stale }];
	// Nothing is pending; only the model has not been told yet.
	if (file.hunks.length === 0) return [];
	const operation = file.base.length === 0 ? "add" : file.now.length === 0 ? "delete" : "update";
	const hunks = file.hunks.map(({ id, state, line, removed, added }) => ({
		id,
		state,
		line,
		removed: removed.map(withoutEnd),
		added: added.map(withoutEnd),
		...withComment(comments.get(id)),
	}));
	return [{ ...about, operation, hunks }];
}

function withComment(comment: string | undefined): { readonly comment?: string } {
	return comment === undefined ? {} : { comment };
}

function withoutEnd(line: string): string {
	return line.replace(/[\r\n]+$/, "");
}

function findBase(files: readonly (FileUnderReview | StaleFile)[], path: string): string | undefined {
	const file = files.find((one) => one.path === path);
	if (file === undefined || "stale" in file) throw new HostError("input-refused", say("no-open-changes", { path }));
	return file.base.length === 0 ? undefined : withoutMarker(file.base).join("");
}

async function noteComment({ thread, above, files }: ThreadUnderReview, { hunk: id, text }: Comment): Promise<void> {
	for (const file of files) {
		const hunk = "stale" in file ? undefined : file.hunks.find((one) => one.id === id);
		if (hunk === undefined) continue;
		const edit = { path: file.path, did: "commented", diff: describeHunk(hunk), comment: text, hunk: id } as const;
		for (const one of [thread, ...(await above())]) await one.commit(asEvents([edit]), "synced");
		return;
	}
	throw new HostError("input-refused", say("change-gone"));
}

function isEdited(_: TouchedFile, __: FileGlance, isOwn: boolean): boolean {
	return !isOwn;
}

interface FoundEdits {
	readonly edits: readonly UserEdit[];
	/** The files that the user has edited since the last check. */
	readonly edited: readonly FileUnderReview[];
}

/** Review actions and restores that the model was not told yet, and the user's edits since the last check. */
async function findDueEdits(thread: LiveThread, world: ReviewPorts): Promise<FoundEdits> {
	const { threadId, touches, untoldEdits, untoldRestored } = thread.state();
	const snapshots = world.snapshots(threadId);
	const files = touches.length === 0 ? [] : await filesUnderReview(thread.state(), snapshots, world, isEdited);
	const edited = files.filter((file): file is FileUnderReview => !("stale" in file) && file.overlaps.length > 0);
	const known = new Set(edited.map(({ path }) => path));
	const restored = await listRestoredEdits(
		untoldRestored.filter(({ path }) => !known.has(path)),
		snapshots,
	);
	return { edits: [...untoldEdits, ...edited.flatMap(listManualEdits), ...restored], edited };
}

function describeEdits({ edits }: FoundEdits): readonly Fragment[] {
	return edits.length === 0 ? [] : [userEdits.of({ hunks: edits })];
}

async function recordEdits(thread: LiveThread, world: ReviewPorts, found: FoundEdits): Promise<DueEdits> {
	const snapshots = world.snapshots(thread.state().threadId);
	const marks: ReviewMark[] = [];
	for (const file of found.edited) marks.push(await markAt(thread, snapshots, file, file));
	return { fragments: describeEdits(found), drafts: marks.length === 0 ? [] : [{ kind: "review", marks }] };
}
