import type { Fragment } from "../../context/fragment.ts";
import { userEdits } from "../../context/fragments/user-actions.ts";
import { HostError } from "../../protocol/errors.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import type { ParsedParamsOf } from "../../protocol/method.ts";
import { say } from "../../protocol/say.ts";
import type { ReviewMark } from "../../protocol/thread/changes.ts";
import type { ReviewedFile, reviewComment } from "../../protocol/thread/review.ts";
import { describeHunk } from "../../review/hunks.ts";
import { shown } from "../../review/lines.ts";
import type { Draft, LiveThread } from "../thread/live-thread.ts";
import { type FileUnderReview, filesUnderReview, type StaleFile } from "./pending-files.ts";
import { type Chosen, type Judged, keepChosen, rejectChosen, type Waiting } from "./resolve-hunks.ts";
import { asEvents, editsByHand, markAt } from "./review-marks.ts";
import type { ReviewPorts } from "./review-ports.ts";

/** What the user does with the changes of a thread. */
export interface Review {
	readonly list: (threadId: ThreadId) => Promise<readonly ReviewedFile[]>;
	/** The file without its open changes; undefined when it would not be there. */
	readonly base: (threadId: ThreadId, path: string) => Promise<string | undefined>;
	readonly keep: (chosen: Chosen) => Promise<Judged>;
	readonly reject: (chosen: Chosen) => Promise<Judged>;
	readonly comment: (params: Comment) => Promise<void>;
	/** What the model is to be told of it now, and what to record with that. */
	readonly due: (thread: LiveThread) => Promise<Due>;
}

type Comment = ParsedParamsOf<typeof reviewComment>;

interface Due {
	readonly fragments: readonly Fragment[];
	readonly drafts: readonly Draft[];
}

export function createReview(world: ReviewPorts): Review {
	const filesOf = async (threadId: ThreadId) => (await lookAt(world, threadId)).files;
	return {
		list: async (threadId) =>
			(await filesOf(threadId)).flatMap((file) => asListed(file, world.runsWithBuild(file.path))),
		base: async (threadId, path) => baseOf(await filesOf(threadId), path),
		keep: async (chosen) => keepChosen(await lookAt(world, chosen.threadId), chosen),
		reject: async (chosen) => rejectChosen(await lookAt(world, chosen.threadId), chosen, world.write),
		comment: async (params) => noteComment(await lookAt(world, params.threadId), params),
		due: (thread) => editsDue(thread, world),
	};
}

async function lookAt(world: ReviewPorts, threadId: ThreadId): Promise<Waiting> {
	const thread = await world.open(threadId);
	const snapshots = world.snapshots(threadId);
	return { thread, snapshots, files: await filesUnderReview(thread.state(), snapshots, world) };
}

function asListed(file: FileUnderReview | StaleFile, runsWithBuild: boolean): readonly ReviewedFile[] {
	const turnIds = [...new Set(file.touches.map(({ turnId }) => turnId))];
	const about = { path: file.path, turnIds, runsWithBuild };
	if ("stale" in file) return [{ ...about, operation: "update", hunks: [], stale: file.stale }];
	// Only the model has yet to hear of what became of it.
	if (file.hunks.length === 0) return [];
	const operation = file.base.length === 0 ? "add" : file.now.length === 0 ? "delete" : "update";
	const hunks = file.hunks.map(({ id, state, line, removed, added }) => ({
		id,
		state,
		line,
		removed: removed.map(withoutEnd),
		added: added.map(withoutEnd),
	}));
	return [{ ...about, operation, hunks }];
}

function withoutEnd(line: string): string {
	return line.replace(/[\r\n]+$/, "");
}

function baseOf(files: readonly (FileUnderReview | StaleFile)[], path: string): string | undefined {
	const file = files.find((one) => one.path === path);
	if (file === undefined || "stale" in file) throw new HostError("input-refused", say("no-open-changes", { path }));
	return file.base.length === 0 ? undefined : shown(file.base).join("");
}

async function noteComment({ thread, files }: Waiting, { hunk: id, text }: Comment): Promise<void> {
	for (const file of files) {
		const hunk = "stale" in file ? undefined : file.hunks.find((one) => one.id === id);
		if (hunk === undefined) continue;
		const edit = { path: file.path, did: "commented", diff: describeHunk(hunk), comment: text } as const;
		return thread.commit(asEvents([edit]), "synced");
	}
	throw new HostError("input-refused", say("change-gone"));
}

/** What was judged and not told yet, and what the user has changed by hand since the last look. */
async function editsDue(thread: LiveThread, world: ReviewPorts): Promise<Due> {
	const { threadId, touches, untoldEdits } = thread.state();
	const snapshots = world.snapshots(threadId);
	const files = touches.length === 0 ? [] : await filesUnderReview(thread.state(), snapshots, world);
	const edited = files.filter((file): file is FileUnderReview => !("stale" in file) && file.overlaps.length > 0);
	const edits = [...untoldEdits, ...edited.flatMap(editsByHand)];
	if (edits.length === 0) return { fragments: [], drafts: [] };
	const marks: ReviewMark[] = [];
	for (const file of edited) marks.push(await markAt(thread, snapshots, file, file));
	return {
		fragments: [userEdits.of({ hunks: edits })],
		drafts: marks.length === 0 ? [] : [{ kind: "review", marks }],
	};
}
