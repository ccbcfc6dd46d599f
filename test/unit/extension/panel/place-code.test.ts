import assert from "node:assert/strict";
import { test } from "node:test";
import type { applyCode } from "../../../../extension/panel/open/place-code.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

class Range {}

test("code from a chat in a tab replaces the selection of the file beside it, and nothing else", async () => {
	const document = { uri: { fsPath: "/app/a.ts" }, lineCount: 9 };
	const replaced: unknown[] = [];
	const anEditor = (viewColumn: number, selection: object) => ({
		...{ document, viewColumn, selection },
		edit: async (work: (edit: object) => void) =>
			work({ replace: (range: unknown, text: string) => replaced.push([range === selection, text]) }),
	});
	const chosen = anEditor(1, { isEmpty: false });
	const { applyCode: apply } = await loadOverPaper<{ readonly applyCode: typeof applyCode }>(
		["extension/panel/open/place-code.ts"],
		{
			...{ l10n: {}, Range },
			commands: { executeCommand: async () => undefined },
			workspace: { asRelativePath: () => "a.ts" },
			window: {
				activeTextEditor: chosen,
				// As in the editor: without a column in the active group, which is that of the chat.
				showTextDocument: async (_: object, column = 2) =>
					column === 1 ? chosen : anEditor(column, { isEmpty: true }),
			},
		},
	);
	await apply("better", undefined);
	assert.deepEqual(replaced, [[true, "better"]]);
});
