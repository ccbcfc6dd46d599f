import assert from "node:assert/strict";
import { test } from "node:test";
import { ThreadId } from "../../../../agent-host/protocol/ids.ts";
import type { ReviewedHunk } from "../../../../agent-host/protocol/thread/review.ts";
import type { HUNK_COMMANDS, hunkFrom } from "../../../../extension/commands/review/hunk-actions.ts";
import type { createHunkComments } from "../../../../extension/review/hunk-comments.ts";
import { loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

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
