import type { ParsedParamsOf, ResultOf } from "../../protocol/method.ts";
import type { ReviewMark, UserEdit } from "../../protocol/thread/changes.ts";
import type { reviewKeep } from "../../protocol/thread/review.ts";
import { describeHunk, type Hunk, keepHunks, rejectHunks } from "../../review/hunks.ts";
import { writeLines } from "../../review/lines.ts";
import type { Snapshots } from "../../store/log/snapshots.ts";
import type { LiveThread } from "../thread/live-thread.ts";
import type { FileUnderReview, StaleFile } from "./pending-files.ts";
import { asEvents, listManualEdits, markAt, markDone } from "./review-marks.ts";
import type { ReviewPorts } from "./review-ports.ts";

export type Chosen = ParsedParamsOf<typeof reviewKeep>;
export type Judged = ResultOf<typeof reviewKeep>;

/** A thread and its files with pending changes. */
export interface ThreadUnderReview {
	readonly thread: LiveThread;
	/** The threads that it works for: the user talks to them, so their models are told, too. */
	readonly above: () => Promise<readonly LiveThread[]>;
	readonly snapshots: Snapshots;
	readonly files: readonly (FileUnderReview | StaleFile)[];
}

/** Accepts the chosen changes: they move into the base. */
export async function keepChosen(waiting: ThreadUnderReview, chosen: Chosen): Promise<Judged> {
	const { thread, files } = waiting;
	const { picked, left } = pick(files, chosen, () => true);
	const judged = picked.map(({ file, hunks }) => ({
		file,
		now: file.now,
		mark: file.mark,
		base: keepHunks(file.base, file.now, hunks),
	}));
	const edits = picked.flatMap(({ file }) => listManualEdits(file));
	await recordReview(waiting, judged, edits);
	const stale = staleIn(files, chosen);
	if (stale.length > 0) {
		const marks = stale.map(markDone);
		await thread.commit([{ kind: "review", marks }], "synced");
	}
	return { done: count(picked) + stale.length, left: [...left] };
}

/** Removes the chosen changes from the files, each file completely or not at all. */
export async function rejectChosen(
	waiting: ThreadUnderReview,
	chosen: Chosen,
	write: ReviewPorts["write"],
): Promise<Judged> {
	const { thread, files } = waiting;
	const { picked, left } = pick(files, chosen, (hunk) => chosen.hunks !== undefined || hunk.state === "pending");
	const done: Picked[] = [];
	const refused: string[] = [];
	const rejected = picked.map((one) => ({ one, now: rejectHunks(one.file.base, one.file.now, one.hunks) }));
	// What goes may be in the way of what comes, such as files in a folder that has taken the place of a file.
	for (const { one, now } of rejected.toSorted((a, b) => Math.sign(a.now.length) - Math.sign(b.now.length))) {
		const { file } = one;
		const mark = now.join("") === file.base.join("") ? file.baseMark : file.mark;
		const removal = thread.state().touches.findLast((touch) => touch.path === file.path && touch.mode !== undefined);
		const after = writeLines(now, mark);
		const outcome = await write([{ path: file.path, expected: file.hash, after, mode: removal?.mode }]);
		if (!outcome.ok) {
			refused.push(outcome.reason);
			continue;
		}
		await recordReview(waiting, [{ file, base: file.base, now, mark }], listEdits(one));
		done.push(one);
	}
	return { done: count(done), left: [...left, ...refused, ...staleIn(files, chosen).map(({ stale }) => stale)] };
}

interface Picked {
	readonly file: FileUnderReview;
	readonly hunks: readonly Hunk[];
}

function pick(
	files: ThreadUnderReview["files"],
	chosen: Chosen,
	isWanted: (hunk: Hunk) => boolean,
): { readonly picked: readonly Picked[]; readonly left: readonly string[] } {
	const named = new Set(chosen.hunks);
	const picked = files.flatMap((file): readonly Picked[] => {
		if ("stale" in file) return [];
		const isChosen = ({ id }: Hunk) => (chosen.hunks === undefined ? isMeant(file, chosen) : named.has(id));
		const hunks = file.hunks.filter((hunk) => isChosen(hunk) && isWanted(hunk));
		return hunks.length === 0 ? [] : [{ file, hunks }];
	});
	const found = new Set(picked.flatMap(({ hunks }) => hunks.map(({ id }) => id)));
	const gone = [...named].filter((id) => !found.has(id)).length;
	if (gone === 0) return { picked, left: [] };
	const changes = gone === 1 ? "1 change is" : `${gone} changes are`;
	return { picked, left: [`${changes} no longer as shown, so nothing was done there. Review again.`] };
}

function staleIn(files: ThreadUnderReview["files"], chosen: Chosen): readonly StaleFile[] {
	return files.filter((file): file is StaleFile => "stale" in file && isMeant(file, chosen));
}

/** Whether the file is chosen as a whole. */
function isMeant({ path }: { readonly path: string }, chosen: Chosen): boolean {
	return chosen.hunks === undefined && (chosen.path === undefined || chosen.path === path);
}

function listEdits({ file, hunks }: Picked): readonly UserEdit[] {
	const rejected = hunks.map((hunk) => ({ path: file.path, did: "rejected", diff: describeHunk(hunk) }) as const);
	const others = listManualEdits(file).filter(({ diff }) => !rejected.some((edit) => edit.diff === diff));
	return [...others, ...rejected];
}

/** A file after a review action. */
interface JudgedFile extends Pick<FileUnderReview, "base" | "now" | "mark"> {
	readonly file: FileUnderReview;
}

/** Records the state of files after a review action, and what the model will be told about it. */
async function recordReview(
	{ thread, above, snapshots }: ThreadUnderReview,
	judged: readonly JudgedFile[],
	edits: readonly UserEdit[],
): Promise<void> {
	if (judged.length === 0) return;
	const marks: ReviewMark[] = [];
	for (const { file, ...judgedAs } of judged) marks.push(await markAt(thread, snapshots, file, judgedAs));
	await thread.commit([{ kind: "review", marks }, ...asEvents(edits)], "synced");
	for (const one of await above()) await one.commit(asEvents(edits), "synced");
}

function count(picked: readonly Picked[]): number {
	return picked.reduce((sum, { hunks }) => sum + hunks.length, 0);
}
