import assert from "node:assert/strict";
import { test } from "node:test";
import type * as hunkActions from "../../../../extension/commands/review/hunk-actions.ts";
import type { createPendingChanges } from "../../../../extension/review/pending-changes.ts";
import { createMemory, loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

class Range {
	readonly start: { readonly line: number };
	constructor(line: number) {
		this.start = { line };
	}
}

class Selection {
	readonly active: { readonly line: number };
	constructor(active: { readonly line: number }) {
		this.active = active;
	}
}

test("F7 goes through the changes of all threads in a file from top to bottom, whichever thread is open", async () => {
	const uri = { scheme: "file", fsPath: "/app/a.ts", toString: () => "/app/a.ts" };
	const editor = {
		document: { uri, lineCount: 100 },
		selection: { active: { line: 0 } },
		revealRange: () => undefined,
	};
	const onNothing = () => ({ dispose: () => undefined });
	const { createPendingChanges: create, nextChange } = await loadOverPaper<
		typeof hunkActions & { readonly createPendingChanges: typeof createPendingChanges }
	>(["extension/review/pending-changes.ts", "extension/commands/review/hunk-actions.ts"], {
		...{ l10n: {}, EventEmitter: PaperEmitter, Range, Selection, TextEditorRevealType: {} },
		Uri: { file: () => uri },
		window: { activeTextEditor: editor },
		workspace: { onDidChangeTextDocument: onNothing, onDidCloseTextDocument: onNothing },
	});
	const linesOf: Readonly<Record<string, readonly number[]>> = { open: [11, 51], other: [6, 31] };
	const events = new PaperEmitter();
	const host = {
		state: () => ({ state: "ready" }),
		onDidChangeState: onNothing,
		onThreadEvent: events.event,
		request: async (_: object, { threadId }: { readonly threadId: string }) => {
			const hunks = linesOf[threadId]?.map((line) => ({ id: `${line}`, line, removed: [], added: ["new"] }));
			return { files: [{ path: "/app/a.ts", operation: "update", hunks }] };
		},
	};
	const panel = { threadId: () => "open", onDidChangeThread: onNothing };
	const changes = create(host as never, panel as never, {} as never, createMemory() as never);
	for (const threadId of Object.keys(linesOf)) events.fire({ threadId, event: { type: "turnDiff" } });
	await new Promise((resolve) => setImmediate(resolve));

	const visited = Array.from({ length: 5 }, () => {
		nextChange({ changes } as never);
		return editor.selection.active.line;
	});
	assert.deepEqual(visited, [5, 10, 30, 50, 5]);
});
