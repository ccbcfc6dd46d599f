import assert from "node:assert/strict";
import { test } from "node:test";
import type { createPlans } from "../../../../extension/plan/plans.ts";
import { createMemory, loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

const aFile = (path: string) => ({ scheme: "file", path });

test("a plan that is in front when the window opens has its buttons at once", async () => {
	const onNothing = () => ({ dispose: () => undefined });
	const keys: unknown[] = [];
	const switched = new PaperEmitter();
	const plan = { document: { uri: aFile("/home/plans/thread-1/Plan.md") } };
	const { createPlans: create } = await loadOverPaper<{ readonly createPlans: typeof createPlans }>(
		["extension/plan/plans.ts"],
		{
			...{ l10n: {}, EventEmitter: PaperEmitter },
			Uri: { joinPath: ({ path }: { readonly path: string }, ...more: string[]) => aFile([path, ...more].join("/")) },
			comments: { createCommentController: () => ({}) },
			workspace: { textDocuments: [], onDidOpenTextDocument: onNothing, onDidChangeTextDocument: onNothing },
			window: { activeTextEditor: plan, onDidChangeActiveTextEditor: switched.event },
			commands: { executeCommand: async (...said: readonly unknown[]) => void keys.push(said) },
		},
	);
	create({
		host: { onThreadEvent: onNothing, onDidChangeState: onNothing },
		panel: { onDidChangeThread: onNothing },
		home: aFile("/home"),
		memory: createMemory(),
	} as never);
	assert.deepEqual(keys, [["setContext", "vitrine.planHere", true]]);
	switched.fire({ document: { uri: aFile("/app/a.ts") } });
	assert.deepEqual(keys.at(-1), ["setContext", "vitrine.planHere", false]);
});
