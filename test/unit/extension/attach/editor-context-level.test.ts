import assert from "node:assert/strict";
import { test } from "node:test";
import { LEVEL_OF, resolveLevel } from "../../../../extension/attach/editor-context-level.ts";

test("the setting decides how much of the editor is attached; nothing is for an unknown value or without trust", () => {
	const settings = ["off", "activeFile", "selection", "openTabs", "everything", undefined];
	assert.deepEqual(
		settings.map((setting) => resolveLevel(setting, true)),
		[0, LEVEL_OF.activeFile, LEVEL_OF.selection, LEVEL_OF.openFiles, 0, LEVEL_OF.selection],
	);
	assert.deepEqual(new Set(settings.map((setting) => resolveLevel(setting, false))), new Set([0]));
});
