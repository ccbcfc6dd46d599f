import type { ThreadSummary } from "../../../agent-host/protocol/thread/thread.ts";
import { t } from "../../../l10n/t.ts";

/** A thread, or a group of them; the folder with an empty name is for threads without one. */
export type ThreadRow =
	/** `rows`: the threads of its sub-agents. */
	| {
			readonly kind: "thread";
			readonly thread: ThreadSummary;
			readonly pinned: boolean;
			readonly rows: readonly ThreadRow[];
	  }
	| { readonly kind: "folder"; readonly folder: string; readonly rows: readonly ThreadRow[] }
	/** Threads of folders that are not open in this window. */
	| { readonly kind: "elsewhere"; readonly rows: readonly ThreadRow[] };

/** The icon of a thread; what needs the user comes before what runs. */
export function chooseThreadIcon(state: {
	readonly isWaiting: boolean;
	readonly running: boolean;
	readonly failed: boolean;
	readonly pinned: boolean;
}): string {
	if (state.isWaiting) return "bell-dot";
	if (state.running) return "loading~spin";
	if (state.failed) return "error";
	return state.pinned ? "pinned" : "comment-discussion";
}

/** How the list is arranged. */
export interface ThreadsShown {
	readonly order: "plain" | "byFolder";
	readonly which: "current" | "archived";
	readonly pinned: ReadonlySet<string>;
	/** Whether a folder is open in this window; a thread without a folder belongs to every window. */
	readonly isOpen: (folder: string) => boolean;
}

type ListedThread = Extract<ThreadRow, { kind: "thread" }>;

/** The threads of sub-agents are below the one that started them, unless it is not listed. */
function nestAgents(threads: readonly ThreadSummary[], pinned: ReadonlySet<string>): readonly ListedThread[] {
	const listed = new Set(threads.map(({ threadId }) => threadId));
	const isBelow = ({ agent, threadId }: ThreadSummary): boolean =>
		agent !== undefined && listed.has(agent.parent) && !pinned.has(threadId);
	const below = Map.groupBy(threads.filter(isBelow), ({ agent }) => agent?.parent);
	const asRow = (thread: ThreadSummary): ListedThread => ({
		kind: "thread",
		thread,
		pinned: pinned.has(thread.threadId),
		rows: (below.get(thread.threadId) ?? []).map(asRow),
	});
	return threads.filter((thread) => !isBelow(thread)).map(asRow);
}

/** The folder that a thread belongs to: its own, or the one that its worktree was made for. */
export function findHome({ cwd, worktree }: Pick<ThreadSummary, "cwd" | "worktree">): string | undefined {
	return worktree?.folder ?? cwd;
}

/**
 * Pinned threads first, then those of this window's folders, each in their order; threads of other folders are below in
 * a group. With `byFolder`, every folder is a group.
 */
export function arrangeThreads(
	threads: readonly ThreadSummary[],
	{ order, pinned, isOpen }: ThreadsShown,
): readonly ThreadRow[] {
	const rows = nestAgents(threads, pinned);
	const [first, others] = [rows.filter((row) => row.pinned), rows.filter((row) => !row.pinned)];
	if (order === "byFolder") {
		const folders = Map.groupBy(others, ({ thread }) => findHome(thread) ?? "");
		return [...first, ...[...folders].map(([folder, own]): ThreadRow => ({ kind: "folder", folder, rows: own }))];
	}
	const isHere = ({ thread }: (typeof rows)[number]): boolean => {
		const folder = findHome(thread);
		return folder === undefined || isOpen(folder);
	};
	const elsewhere = others.filter((row) => !isHere(row));
	return [
		...first,
		...others.filter(isHere),
		...(elsewhere.length === 0 ? [] : [{ kind: "elsewhere", rows: elsewhere } as const]),
	];
}

/** What identifies a row, also when the list is arranged again. */
export function rowId(row: ThreadRow): string {
	switch (row.kind) {
		case "thread":
			return row.thread.threadId;
		case "folder":
			return `folder ${row.folder}`;
		case "elsewhere":
			return "elsewhere";
	}
}

/** The row of a thread, or of the closed group or thread that it is in; undefined if it is not listed. */
export function findShown(
	rows: readonly ThreadRow[],
	threadId: string,
	isClosed: (row: ThreadRow) => boolean,
): ThreadRow | undefined {
	for (const row of rows) {
		if (row.kind === "thread" && row.thread.threadId === threadId) return row;
		const below = findShown(row.rows, threadId, isClosed);
		if (below !== undefined) return isClosed(row) ? row : below;
	}
	return undefined;
}

/** How long ago a thread was changed; nothing for one whose file could not be read, which has no time. */
export function describeAge(updatedAt: number, now: number): string {
	if (updatedAt <= 0) return "";
	const minutes = Math.floor((now - updatedAt) / 60_000);
	if (minutes < 1) return t("now");
	if (minutes < 60) return t("{0} min", minutes);
	const hours = Math.floor(minutes / 60);
	return hours < 24 ? t("{0} h", hours) : t("{0} d", Math.floor(hours / 24));
}
