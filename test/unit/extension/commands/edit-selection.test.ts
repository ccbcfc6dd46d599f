import assert from "node:assert/strict";
import { test } from "node:test";
import type { editSelection } from "../../../../extension/commands/chat/editor-actions.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

test("after Edit Selection the file is shown where it was, not over a chat beside it", async () => {
	const uri = { scheme: "file", fsPath: "/app/a.ts", path: "/app/a.ts" };
	const place = { line: 0, character: 0 };
	const editor = {
		document: { uri, lineAt: () => ({ text: "one" }) },
		selection: { start: place, end: { line: 0, character: 3 } },
		viewColumn: 1,
	};
	/** Once the prompt is in the chat, the group of the chat is the active one. */
	const groups = { active: 1 };
	const shown: unknown[] = [];
	const { editSelection: run } = await loadOverPaper<{ readonly editSelection: typeof editSelection }>(
		["extension/commands/chat/editor-actions.ts"],
		{
			l10n: {},
			window: {
				activeTextEditor: editor,
				showInputBox: async () => "Shorter",
				showTextDocument: async (_: object, { viewColumn = groups.active }: { readonly viewColumn?: number }) =>
					void shown.push(viewColumn),
			},
			workspace: { asRelativePath: () => "a.ts" },
		},
	);
	const compose = async () => {
		groups.active = 2;
	};
	await run({ panel: { compose } } as never);
	assert.deepEqual(shown, [1]);
});
