import type { Fragment } from "../../context/fragment.ts";
import { userEdits } from "../../context/fragments/happenings.ts";
import type { ReviewMark, UserEdit } from "../../protocol/changes.ts";
import { HostError } from "../../protocol/errors.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import type { ParsedParamsOf, ResultOf } from "../../protocol/method.ts";
import type { ReviewedFile, reviewComment, reviewKeep } from "../../protocol/review.ts";
import { describeHunk, type Hunk, keepHunks, rejectHunks } from "../../review/hunks.ts";
import { type Lines, shown, writeLines } from "../../review/lines.ts";
import type { Snapshots } from "../../store/snapshots.ts";
import type { Draft, LiveThread } from "../thread/live-thread.ts";
import { type FileUnderReview, filesUnderReview, isKnown, type StaleFile } from "./under-review.ts";
import type { ChangesWorld } from "./world.ts";

type Chosen = ParsedParamsOf<typeof reviewKeep>;
type Judged = ResultOf<typeof reviewKeep>;

/** What the user does with the changes of a thread. */
export interface Review {
	readonly list: (threadId: ThreadId) => Promise<readonly ReviewedFile[]>;
	readonly base: (threadId: ThreadId, path: string) => Promise<string | undefined>;
	readonly keep: (chosen: Chosen) => Promise<Judged>;
	readonly reject: (chosen: Chosen) => Promise<Judged>;
	readonly comment: (params: ParsedParamsOf<typeof reviewComment>) => Promise<void>;
	/** What the model is to be told of it now, and what to record with that. */
	readonly due: (
		thread: LiveThread,
	) => Promise<{ readonly fragments: readonly Fragment[]; readonly drafts: readonly Draft[] }>;
}

/** Edits in one event, so that it stays a line of the thread's file. */
const MAX_EDITS = 8;

export function createReview(world: ChangesWorld): Review {
	const look = async (threadId: ThreadId) => {
		const thread = await world.open(threadId);
		const snapshots = world.snapshots(threadId);
		return { thread, snapshots, files: await filesUnderReview(thread.state(), snapshots, world.documents) };
	};
	/** Records how files stand after a judgement, with what of it the model is to hear. */
	const settle = async (
		thread: LiveThread,
		snapshots: Snapshots,
		judged: readonly { readonly file: FileUnderReview; readonly base: Lines; readonly now: Lines }[],
		edits: readonly UserEdit[],
	): Promise<void> => {
		const marks: ReviewMark[] = [];
		for (const { file, base, now } of judged) marks.push(await markAt(thread, snapshots, file, { base, now }));
		await thread.commit([{ kind: "review", marks }, ...asEvents(edits)], "synced");
	};
	return {
		list: async (threadId) => (await look(threadId)).files.flatMap(asListed),
		base: async (threadId, path) => {
			const file = (await look(threadId)).files.find((one) => one.path === path);
			if (file === undefined || "stale" in file) throw new HostError("input-refused", `${path} has no open changes.`);
			return file.base.length === 0 ? undefined : shown(file.base).join("");
		},
		keep: async (chosen) => {
			const { thread, snapshots, files } = await look(chosen.threadId);
			const { picked, left } = pick(files, chosen, () => true);
			const judged = picked.map(({ file, hunks }) => ({
				file,
				now: file.now,
				base: keepHunks(file.base, file.now, hunks),
			}));
			await settle(
				thread,
				snapshots,
				judged,
				judged.flatMap(({ file }) => byHand(file)),
			);
			const stale = files.filter((file): file is StaleFile => "stale" in file && isMeant(file, chosen));
			if (stale.length > 0)
				await thread.commit([{ kind: "review", marks: stale.map(({ path }) => closed(thread, path)) }], "synced");
			return { done: count(picked) + stale.length, left };
		},
		reject: async (chosen) => {
			const { thread, snapshots, files } = await look(chosen.threadId);
			const isPicked = (hunk: Hunk) => chosen.hunks !== undefined || hunk.state === "pending";
			const { picked, left } = pick(files, chosen, isPicked);
			const stale = files.flatMap((file) => ("stale" in file && isMeant(file, chosen) ? [file.stale] : []));
			const done: (typeof picked)[number][] = [];
			for (const one of picked) {
				const { file, hunks } = one;
				const now = rejectHunks(file.base, file.now, hunks);
				const wanted = { path: file.path, expected: file.hash, after: writeLines(now, file.mark) };
				const outcome = await world.write([wanted]);
				if (!outcome.ok) {
					left.push(outcome.reason);
					continue;
				}
				const rejected = hunks.map((hunk) => ({ path: file.path, did: "rejected", diff: describeHunk(hunk) }) as const);
				const others = byHand(file).filter(({ diff }) => !rejected.some((edit) => edit.diff === diff));
				await settle(thread, snapshots, [{ file, base: file.base, now }], [...others, ...rejected]);
				done.push(one);
			}
			return { done: count(done), left: [...left, ...stale] };
		},
		comment: async ({ threadId, hunk: id, text }) => {
			const { thread, files } = await look(threadId);
			for (const file of files) {
				const hunk = "stale" in file ? undefined : file.hunks.find((one) => one.id === id);
				if (hunk === undefined) continue;
				const edit = { path: file.path, did: "commented", diff: describeHunk(hunk), comment: text } as const;
				return thread.commit(asEvents([edit]), "synced");
			}
			throw new HostError("input-refused", "That change is no longer there, so nothing was noted.");
		},
		due: async (thread) => {
			const { threadId } = thread.state();
			const snapshots = world.snapshots(threadId);
			const files =
				thread.state().touches.length === 0 ? [] : await filesUnderReview(thread.state(), snapshots, world.documents);
			const marks: ReviewMark[] = [];
			const edits = [...thread.state().untoldEdits];
			for (const file of files) {
				if ("stale" in file || file.overlaps.length === 0) continue;
				edits.push(...byHand(file));
				marks.push(await markAt(thread, snapshots, file, file));
			}
			if (edits.length === 0) return { fragments: [], drafts: [] };
			return {
				fragments: [userEdits.of({ hunks: edits })],
				drafts: marks.length === 0 ? [] : [{ kind: "review", marks }],
			};
		},
	};
}

function asListed(file: FileUnderReview | StaleFile): readonly ReviewedFile[] {
	const turnIds = [...new Set(file.touches.map(({ turnId }) => turnId))];
	if ("stale" in file) return [{ path: file.path, operation: "update", turnIds, hunks: [], stale: file.stale }];
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
	return [{ path: file.path, operation, turnIds, hunks }];
}

interface Picked {
	readonly file: FileUnderReview;
	readonly hunks: readonly Hunk[];
}

function isMeant({ path }: { readonly path: string }, chosen: Chosen): boolean {
	return chosen.hunks === undefined && (chosen.path === undefined || chosen.path === path);
}

function pick(
	files: readonly (FileUnderReview | StaleFile)[],
	chosen: Chosen,
	isWanted: (hunk: Hunk) => boolean,
): { readonly picked: readonly Picked[]; readonly left: string[] } {
	const named = new Set(chosen.hunks);
	const picked = files.flatMap((file): readonly Picked[] => {
		if ("stale" in file) return [];
		const isChosen = ({ id }: Hunk) => (chosen.hunks === undefined ? isMeant(file, chosen) : named.has(id));
		const hunks = file.hunks.filter((hunk) => isChosen(hunk) && isWanted(hunk));
		return hunks.length === 0 ? [] : [{ file, hunks }];
	});
	const found = new Set(picked.flatMap(({ hunks }) => hunks.map(({ id }) => id)));
	const gone = [...named].filter((id) => !found.has(id)).length;
	const left =
		gone === 0
			? []
			: [`${gone === 1 ? "One change is" : `${gone} changes are`} no longer as shown and left alone. Look again.`];
	return { picked, left };
}

/** What the user did by hand to changes of the agent's. */
function byHand(file: FileUnderReview): readonly UserEdit[] {
	return file.overlaps.map((overlap): UserEdit => {
		const isUndone = overlap.now.join("") === overlap.base.join("");
		const diff = isUndone
			? describeHunk({ removed: overlap.base, added: overlap.agent })
			: describeHunk({ removed: overlap.agent, added: overlap.now });
		return { path: file.path, did: isUndone ? "rejected" : "changed", diff };
	});
}

async function markAt(
	thread: LiveThread,
	snapshots: Snapshots,
	{ path, mark, hash, hunks }: FileUnderReview,
	{ base, now }: { readonly base: Lines; readonly now: Lines },
): Promise<ReviewMark> {
	const put = async (lines: Lines) => {
		const bytes = writeLines(lines, mark);
		return bytes === undefined ? undefined : (await snapshots.put(bytes)).sha256;
	};
	const seen = await put(now);
	const known = isKnown(thread.state(), path, hash) && seen !== undefined ? { known: seen } : {};
	if (base.join("") === now.join("")) return { ...closed(thread, path), ...known };
	const without = await put(base);
	return {
		...closed(thread, path),
		done: false,
		...(without === undefined ? {} : { base: without }),
		...(seen === undefined ? {} : { seen }),
		changed: hunks.flatMap(({ id, state }) => (state === "changed" ? [id] : [])),
		...known,
	};
}

function closed(thread: LiveThread, path: string): ReviewMark {
	return { path, touches: thread.state().touches.length, done: true };
}

function asEvents(edits: readonly UserEdit[]): readonly Draft[] {
	const events: Draft[] = [];
	for (let from = 0; from < edits.length; from += MAX_EDITS) {
		events.push({ kind: "event", event: { type: "reviewed", edits: edits.slice(from, from + MAX_EDITS) } });
	}
	return events;
}

function count(picked: readonly Picked[]): number {
	return picked.reduce((sum, { hunks }) => sum + hunks.length, 0);
}

function withoutEnd(line: string): string {
	return line.replace(/[\r\n]+$/, "");
}
