import assert from "node:assert/strict";
import { test } from "node:test";
import type { createDocuments } from "../../../../extension/views/reports/report-documents.ts";
import { loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

test("a command's output is reread every second while the host runs, and its document never starts a stopped host", async (t) => {
	t.mock.timers.enable({ apis: ["setTimeout"] });
	let state = "ready";
	let read = 0;
	const onNothing = () => ({ dispose: () => undefined });
	const textDocuments: { readonly uri: { readonly scheme: string; readonly path: string } }[] = [];
	const loaded = await loadOverPaper<{ readonly createDocuments: typeof createDocuments }>(
		["extension/views/reports/report-documents.ts"],
		{
			...{ EventEmitter: PaperEmitter, Uri: { from: (parts: object) => parts } },
			...{ extensions: { getExtension: () => undefined }, window: { showTextDocument: async () => undefined } },
			Disposable: { from: onNothing },
			workspace: {
				textDocuments,
				registerTextDocumentContentProvider: (_: string, { onDidChange }: { readonly onDidChange: unknown }) => {
					(onDidChange as PaperEmitter["event"])(() => {
						read += 1;
					});
					return onNothing();
				},
				openTextDocument: async (uri: (typeof textDocuments)[number]["uri"]) => void textDocuments.push({ uri }),
			},
		},
	);
	const documents = loaded.createDocuments(
		{
			...{ onThreadEvent: onNothing, onProcessesChanged: onNothing, onServersChanged: onNothing },
			state: () => ({ state }),
		} as never,
		async () => [],
	);
	t.after(() => documents.dispose());
	await documents.open({ kind: "process", threadId: "a", processId: "p1" });
	const countAfter = (now: string): number => {
		[state, read] = [now, 0];
		for (let second = 0; second < 3; second += 1) t.mock.timers.tick(1_000);
		return read;
	};
	assert.equal(countAfter("ready"), 3);
	assert.equal(countAfter("stopped"), 0);
	assert.equal(countAfter("ready"), 3, "the host was started again");
});
