import assert from "node:assert/strict";
import { test } from "node:test";
import type { createCompactionPreview } from "../../../../extension/views/context/compaction-preview.ts";
import { loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

test("two presses on Apply apply a compaction once; after a refusal it can be tried again", async () => {
	const window: Record<string, unknown> = {
		tabGroups: { all: [], close: async () => true },
		showTextDocument: async (document: unknown) => {
			window.activeTextEditor = { document };
		},
	};
	const loaded = await loadOverPaper<{ readonly createCompactionPreview: typeof createCompactionPreview }>(
		["extension/views/context/compaction-preview.ts"],
		{
			...{ l10n: {}, window, EventEmitter: PaperEmitter, FileChangeType: {}, Disposable: { from: () => undefined } },
			Uri: { from: (parts: object) => parts },
			workspace: {
				registerFileSystemProvider: () => undefined,
				openTextDocument: async (uri: object) => ({ uri, getText: () => "", save: async () => true }),
			},
		},
	);
	let asked = 0;
	const host = {
		request: async () => {
			asked += 1;
			if (asked === 1) throw new Error("A turn is running.");
			if (asked > 2) throw new Error("That preview is gone.");
		},
	};
	const preview = loaded.createCompactionPreview(host as never);
	await preview.open("k1" as never, { summary: "", turns: 1, before: 1, after: 1, verbatim: [], dropped: [] } as never);
	await assert.rejects(preview.apply(), /A turn is running/);
	await Promise.all([preview.apply(), preview.apply()]);
	assert.equal(asked, 2);
	await assert.rejects(preview.apply(), "it is closed");
});
