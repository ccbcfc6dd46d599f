import assert from "node:assert/strict";
import { test } from "node:test";
import { ThreadId } from "../../../../agent-host/protocol/ids.ts";
import type { ReviewedHunk } from "../../../../agent-host/protocol/thread/review.ts";
import type { HUNK_COMMANDS, hunkFrom } from "../../../../extension/commands/review/hunk-actions.ts";
import type { createHunkComments } from "../../../../extension/review/hunk-comments.ts";
import type { createPendingChanges } from "../../../../extension/review/pending-changes.ts";
import { createMemory, loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

interface Loaded {
	readonly createHunkComments: typeof createHunkComments;
	readonly HUNK_COMMANDS: typeof HUNK_COMMANDS;
	readonly hunkFrom: typeof hunkFrom;
}

/** As in the editor: the label of a user's comment is its text. */
type Drawn = { comments: readonly { readonly label: string; readonly contextValue?: string }[] };

test("a comment on a change is drawn beside it until it is deleted with its own button", async () => {
	const threads: Drawn[] = [];
	const createCommentThread = () => {
		const thread: Drawn = { comments: [] };
		threads.push(thread);
		return thread;
	};
	const extension = await loadOverPaper<Loaded>(
		["extension/review/hunk-comments.ts", "extension/commands/review/hunk-actions.ts"],
		{
			comments: { createCommentController: () => ({ createCommentThread }) },
			window: { activeTextEditor: undefined },
			...{ Disposable: { from: () => ({}) }, workspace: {} },
			...{ EventEmitter: PaperEmitter, Range: class {}, ThemeColor: class {}, Uri: { file: (path: string) => path } },
			...{ CommentMode: {}, CommentThreadCollapsibleState: {}, OverviewRulerLane: {} },
		},
	);
	const changed = new PaperEmitter();
	const threadId = ThreadId.parse("t");
	let hunk: ReviewedHunk = { id: "h", state: "pending", line: 1, removed: [], added: ["new"] };
	const changes = {
		onDidChange: changed.event,
		isKnown: () => true,
		threads: () => [{ threadId, files: [{ path: "/a.ts", operation: "update", hunks: [hunk] }] }],
		findThread: () => threadId,
		refresh: async () => changed.fire(undefined),
	};
	const comments = extension.createHunkComments(changes as never);
	const request = async (_: unknown, { text, ...params }: { readonly text: string }) => {
		assert.deepEqual(params, { threadId, hunk: "h" });
		const { comment: _gone, ...rest } = hunk;
		hunk = text === "" ? rest : { ...rest, comment: text };
	};
	const parts = { changes, reviewDiff: { comments }, host: { request } } as never;
	const run = async (command: string, from: unknown) =>
		extension.HUNK_COMMANDS[command]?.(parts, extension.hunkFrom(parts, from) ?? assert.fail("no hunk"), from);
	const mine = () => threads.flatMap((one) => one.comments).filter(({ contextValue }) => contextValue === "mine");

	changed.fire(undefined);
	await run("vitrine.commentHunk", { thread: threads[0], text: "Why?" });
	assert.deepEqual([threads.length, mine().map(({ label }) => label)], [1, ["Why?"]]);
	await run("vitrine.deleteComment", mine()[0]);
	assert.deepEqual([threads.length, mine(), hunk.comment], [1, [], undefined]);
});

test("a comment that is being written stays while the host starts again, and goes only with its change", async () => {
	const onNothing = () => ({ dispose: () => undefined });
	const threads = new Set<object>();
	const createCommentThread = () => {
		const thread = { comments: [], dispose: () => threads.delete(thread) };
		threads.add(thread);
		return thread;
	};
	const extension = await loadOverPaper<Loaded & { readonly createPendingChanges: typeof createPendingChanges }>(
		["extension/review/hunk-comments.ts", "extension/review/pending-changes.ts"],
		{
			...{ l10n: {}, EventEmitter: PaperEmitter, Range: class {}, Uri: { file: (path: string) => path } },
			...{ CommentMode: {}, CommentThreadCollapsibleState: {} },
			comments: { createCommentController: () => ({ createCommentThread }) },
			workspace: { onDidChangeTextDocument: onNothing, onDidCloseTextDocument: onNothing },
		},
	);
	const states = new PaperEmitter();
	let state = "ready";
	let hunks: readonly ReviewedHunk[] = [{ id: "h", state: "pending", line: 1, removed: [], added: ["new"] }];
	const host = {
		state: () => ({ state }),
		onDidChangeState: states.event,
		onThreadEvent: onNothing,
		request: async () => ({ files: hunks.length === 0 ? [] : [{ path: "/a.ts", operation: "update", hunks }] }),
	};
	const panel = { threadId: () => "t", onDidChangeThread: onNothing };
	const changes = extension.createPendingChanges(host as never, panel as never, {} as never, createMemory() as never);
	extension.createHunkComments(changes);
	await changes.refresh();
	const [written] = threads;
	assert.ok(written);
	for (state of ["starting", "ready"]) states.fire({ state });
	await changes.refresh();
	assert.deepEqual([threads.size, threads.has(written)], [1, true]);
	hunks = [];
	await changes.refresh();
	assert.equal(threads.size, 0);
});
