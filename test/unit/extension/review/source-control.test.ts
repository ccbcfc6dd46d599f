import assert from "node:assert/strict";
import { test } from "node:test";
import type { createChangesControl } from "../../../../extension/review/source-control.ts";
import { loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

test("a group of pending changes in Source Control follows the title of its thread", async () => {
	const groups: { readonly id: string; label: string }[] = [];
	const { createChangesControl: create } = await loadOverPaper<{
		readonly createChangesControl: typeof createChangesControl;
	}>(["extension/review/source-control.ts"], {
		l10n: {},
		Disposable: { from: () => ({}) },
		scm: {
			createSourceControl: () => ({
				inputBox: {},
				createResourceGroup: (id: string, label: string) => {
					const group = { id, label };
					groups.push(group);
					return group;
				},
			}),
		},
	});
	const [changed, events] = [new PaperEmitter(), new PaperEmitter()];
	const host = { onThreadEvent: events.event, request: async () => ({ title: "Fix it" }) };
	const threads = () => ["one", "two"].map((threadId) => ({ threadId, files: [] }));
	create(host as never, { onDidChange: changed.event, threads } as never);
	changed.fire(undefined);
	await new Promise((resolve) => setImmediate(resolve));
	events.fire({ threadId: "two", event: { type: "titleChanged", title: "Fix the parser" } });
	events.fire({ threadId: "gone", event: { type: "titleChanged", title: "Else" } });
	assert.deepEqual(
		groups.map(({ label }) => label),
		["Fix it", "Fix the parser"],
	);
});
