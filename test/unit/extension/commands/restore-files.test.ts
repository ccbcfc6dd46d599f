import assert from "node:assert/strict";
import { test } from "node:test";
import { ThreadId, TurnId } from "../../../../agent-host/protocol/ids.ts";
import type { undoFiles } from "../../../../extension/commands/review/restore-files.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

test("Undo of a restore applies to its own thread, whichever is open by then", async () => {
	let open = "a";
	const { undoFiles: undo } = await loadOverPaper<{ readonly undoFiles: typeof undoFiles }>(
		["extension/commands/review/restore-files.ts"],
		{
			l10n: {},
			workspace: { asRelativePath: String },
			window: {
				showWarningMessage: async (_: string, __: object, first: string) => first,
				showInformationMessage: async () => {
					open = "b";
					return "Undo";
				},
			},
		},
	);
	const asked: unknown[] = [];
	const host = {
		request: async ({ name }: { readonly name: string }, { threadId }: { readonly threadId: string }) => {
			asked.push([name, threadId]);
			return { turns: 0, files: [{ path: "/a.ts", state: "restored" }], unsaved: [], agents: [] };
		},
	};
	await undo({ host, panel: { threadId: () => open } } as never, ThreadId.parse("a"), TurnId.parse("turn-1"));
	assert.deepEqual(asked, [
		["thread/restore", "a"],
		["thread/restore", "a"],
		["thread/restore/redo", "a"],
		["thread/restore/redo", "a"],
	]);
});
