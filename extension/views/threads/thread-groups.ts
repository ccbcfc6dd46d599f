import type { ThreadSummary } from "../../../agent-host/protocol/thread/thread.ts";

/** A thread, or a group of them; the folder with an empty name is for threads without one. */
export type ThreadRow =
	| { readonly kind: "thread"; readonly thread: ThreadSummary; readonly pinned: boolean }
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

/**
 * Pinned threads first, then those of this window's folders, each in their order; threads of other folders are below in
 * a group. With `byFolder`, every folder is a group.
 */
export function arrangeThreads(
	threads: readonly ThreadSummary[],
	{ order, pinned, isOpen }: ThreadsShown,
): readonly ThreadRow[] {
	const rows = threads.map((thread): Extract<ThreadRow, { kind: "thread" }> => {
		return { kind: "thread", thread, pinned: pinned.has(thread.threadId) };
	});
	const [first, others] = [rows.filter((row) => row.pinned), rows.filter((row) => !row.pinned)];
	if (order === "byFolder") {
		const folders = Map.groupBy(others, ({ thread }) => thread.cwd ?? "");
		return [...first, ...[...folders].map(([folder, own]): ThreadRow => ({ kind: "folder", folder, rows: own }))];
	}
	const isHere = ({ thread: { cwd } }: (typeof rows)[number]): boolean => cwd === undefined || isOpen(cwd);
	const elsewhere = others.filter((row) => !isHere(row));
	return [
		...first,
		...others.filter(isHere),
		...(elsewhere.length === 0 ? [] : [{ kind: "elsewhere", rows: elsewhere } as const]),
	];
}
