import { finishInPieces } from "../../patch/pieces.ts";
import type { ReviewMark, TouchedFile, UserEdit } from "../../protocol/thread/changes.ts";
import { isUndone } from "../../review/follow-lines.ts";
import { describeHunk, findInPieces } from "../../review/hunks.ts";
import { type Lines, writeLines } from "../../review/lines.ts";
import type { Snapshots } from "../../store/log/snapshots.ts";
import type { Draft, LiveThread } from "../thread/live-thread.ts";
import { type FileUnderReview, isKnown, readSnapshotLines, type StaleFile } from "./pending-files.ts";

/** Limit for the edits in one event, so that it fits into a line of the thread's file. */
const MAX_EDITS = 8;
/** Limit for the restored files that the model is told about at once. */
const MAX_RESTORED = 100;

/** The review state of a file: its content without pending changes, and its content at that time. */
export async function markAt(
	thread: LiveThread,
	snapshots: Snapshots,
	file: FileUnderReview,
	{ base, now, mark }: Pick<FileUnderReview, "base" | "now" | "mark">,
): Promise<ReviewMark> {
	const { path, baseMark, hash, hunks } = file;
	const put = async (lines: Lines, itsMark: string) => {
		const bytes = writeLines(lines, itsMark);
		return bytes === undefined ? undefined : (await snapshots.put(bytes)).sha256;
	};
	const seen = await put(now, mark);
	const known = isKnown(thread.state(), path, hash) && seen !== undefined ? { known: seen } : {};
	if (base.join("") === now.join("")) return { ...markDone(file), ...known };
	const without = await put(base, baseMark);
	return {
		...markDone(file),
		done: false,
		...(without === undefined ? {} : { base: without }),
		...(seen === undefined ? {} : { seen }),
		changed: hunks.flatMap(({ id, state }) => (state === "changed" ? [id] : [])),
		...known,
	};
}

/** Marks a file as having no pending changes. */
export function markDone({ path, looked }: FileUnderReview | StaleFile): ReviewMark {
	return { path, touches: looked, done: true };
}

/** The user's own edits of the agent's changes. */
export function listManualEdits(file: FileUnderReview): readonly UserEdit[] {
	return file.overlaps.map((overlap): UserEdit => {
		const isRejected = isUndone(overlap);
		const diff = isRejected
			? describeHunk({ removed: overlap.base, added: overlap.agent })
			: describeHunk({ removed: overlap.agent, added: overlap.now });
		return { path: file.path, did: isRejected ? "rejected" : "changed", diff };
	});
}

/** What restores took out of files, such as those that sub-agents changed. */
export async function listRestoredEdits(
	restored: readonly TouchedFile[],
	snapshots: Snapshots,
): Promise<readonly UserEdit[]> {
	const edits: UserEdit[] = [];
	for (const [path, files] of [...Map.groupBy(restored, ({ path }) => path)].slice(0, MAX_RESTORED)) {
		const agents = await readSnapshotLines(snapshots, files[0]?.before);
		const now = await readSnapshotLines(snapshots, files.at(-1)?.after);
		// Not text, or not kept.
		if (agents === undefined || now === undefined) continue;
		for (const hunk of await finishInPieces(findInPieces(path, now, agents, { ends: "exact" })))
			edits.push({ path, did: "rejected", diff: describeHunk(hunk) });
	}
	return edits;
}

export function asEvents(edits: readonly UserEdit[]): readonly Draft[] {
	const events: Draft[] = [];
	for (let from = 0; from < edits.length; from += MAX_EDITS) {
		events.push({ kind: "event", event: { type: "reviewed", edits: edits.slice(from, from + MAX_EDITS) } });
	}
	return events;
}
