import assert from "node:assert/strict";
import { test } from "node:test";
import { ThreadId } from "../../../../agent-host/protocol/ids.ts";
import type { createPlanComments } from "../../../../extension/plan/plan-comments.ts";
import { loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

const THREAD = ThreadId.parse("thread-1");

test("comments of an earlier window are gone once sent, even if their plan was not opened since", async () => {
	const opened = new PaperEmitter();
	const drawn: string[] = [];
	const aThread = (uri: string) => ({ uri, range: { end: { line: 2 } }, dispose: () => drawn.splice(0) });
	const { createPlanComments: create } = await loadOverPaper<{
		readonly createPlanComments: typeof createPlanComments;
	}>(["extension/plan/plan-comments.ts"], {
		EventEmitter: PaperEmitter,
		Range: class {},
		CommentMode: {},
		l10n: {},
		comments: {
			createCommentController: () => ({
				createCommentThread: (uri: string) => {
					drawn.push(uri);
					return aThread(uri);
				},
			}),
		},
		workspace: {
			textDocuments: [],
			onDidOpenTextDocument: opened.event,
			onDidChangeTextDocument: () => ({ dispose: () => undefined }),
		},
	});
	const kept = new Map<string, unknown>();
	const memory = {
		get: (key: string, none: unknown) => kept.get(key) ?? none,
		update: async (key: string, value: unknown) => void kept.set(key, value),
	};
	const files = { threadOf: (uri: string) => (uri === "plan" ? THREAD : undefined) };
	const window = () => create(files as never, memory as never);
	window().add({ thread: aThread("plan"), text: "Why?" } as never);
	const next = window();
	assert.deepEqual(next.of(THREAD), [{ line: 2, text: "Why?" }]);
	next.clear(THREAD);
	opened.fire({ uri: "plan" });
	assert.deepEqual([next.of(THREAD), drawn], [[], []]);
});
