import type { ThreadSummary } from "../../../agent-host/protocol/thread/thread.ts";

/** A thread, or a folder with its threads; an empty name is for threads without a folder. */
export type ThreadRow =
	| { readonly kind: "thread"; readonly thread: ThreadSummary; readonly pinned: boolean }
	| { readonly kind: "folder"; readonly folder: string; readonly rows: readonly ThreadRow[] };

/** The icon of a thread; what needs the user comes before what runs. */
export function chooseThreadIcon(state: {
	readonly isWaiting: boolean;
	readonly running: boolean;
	readonly pinned: boolean;
}): string {
	if (state.isWaiting) return "question";
	if (state.running) return "loading~spin";
	return state.pinned ? "pinned" : "comment-discussion";
}

/** How the list is arranged. */
export interface ThreadsShown {
	readonly order: "plain" | "byFolder";
	readonly which: "current" | "archived";
	readonly pinned: ReadonlySet<string>;
}

/** Pinned threads first, then the others in their order, grouped by folder if wanted. */
export function arrangeThreads(threads: readonly ThreadSummary[], { order, pinned }: ThreadsShown): ThreadRow[] {
	const rows = threads.map((thread): Extract<ThreadRow, { kind: "thread" }> => {
		return { kind: "thread", thread, pinned: pinned.has(thread.threadId) };
	});
	const [first, others] = [rows.filter((row) => row.pinned), rows.filter((row) => !row.pinned)];
	if (order === "plain") return [...first, ...others];
	const folders = Map.groupBy(others, ({ thread }) => thread.cwd ?? "");
	return [...first, ...[...folders].map(([folder, own]): ThreadRow => ({ kind: "folder", folder, rows: own }))];
}
