import assert from "node:assert/strict";
import { test } from "node:test";
import { ThreadId, TurnId } from "../../../../agent-host/protocol/ids.ts";
import type { redoRestore, undoFiles } from "../../../../extension/commands/review/restore-files.ts";
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
	const redone = Promise.withResolvers<void>();
	const host = {
		request: async ({ name }: { readonly name: string }, { threadId }: { readonly threadId: string }) => {
			asked.push([name, threadId]);
			if (asked.length === 4) redone.resolve();
			return { turns: 0, files: [{ path: "/a.ts", state: "restored" }], unsaved: [], agents: [] };
		},
	};
	await undo({ host, panel: { threadId: () => open } } as never, ThreadId.parse("a"), TurnId.parse("turn-1"));
	await redone.promise;
	assert.deepEqual(asked, [
		["thread/restore", "a"],
		["thread/restore", "a"],
		["thread/restore/redo", "a"],
		["thread/restore/redo", "a"],
	]);
});

test("two presses on Undo undo one restore", async () => {
	const { redoRestore: redo } = await loadOverPaper<{ readonly redoRestore: typeof redoRestore }>(
		["extension/commands/review/restore-files.ts"],
		{ l10n: {} },
	);
	const asked: unknown[] = [];
	const host = {
		request: async (_: unknown, { preview }: { readonly preview?: boolean }) => {
			asked.push(preview === true ? "preview" : "undo");
			return { turns: 0, returned: 1, files: [], unsaved: [], agents: [] };
		},
	};
	const press = () => redo({ host, panel: { threadId: () => "a" } } as never);
	await Promise.all([press(), press()]);
	assert.deepEqual(asked, ["preview", "undo"]);
});
