import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReviewedHunk } from "../../../../agent-host/protocol/thread/review.ts";
import type { createHunkMarks } from "../../../../extension/review/hunk-marks.ts";
import type { createPendingChanges } from "../../../../extension/review/pending-changes.ts";
import { createMemory, loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

const HUNK: ReviewedHunk = { id: "h", state: "pending", line: 1, removed: [], added: ["new"] };

test("an open editor is decorated while it has changes and cleared once they are gone; others are left alone", async () => {
	const [changed, visible] = [new PaperEmitter(), new PaperEmitter()];
	let pending: readonly string[] = ["a.ts", "b.ts"];
	const drawn: string[] = [];
	const anEditor = (name: string) => {
		const setDecorations = (_: unknown, { length }: readonly unknown[]) => void drawn.push(`${name} ${length}`);
		return { document: { uri: name, lineCount: 3 }, setDecorations };
	};
	const [a, b, other] = ["a.ts", "b.ts", "other.ts"].map(anEditor);
	const window = {
		visibleTextEditors: [a, b, other],
		createTextEditorDecorationType: () => ({}),
		onDidChangeVisibleTextEditors: visible.event,
		onDidChangeActiveTextEditor: () => ({}),
	};
	const extension = await loadOverPaper<{ readonly createHunkMarks: typeof createHunkMarks }>(
		["extension/review/hunk-marks.ts"],
		{
			window,
			EventEmitter: PaperEmitter,
			Disposable: { from: () => ({}) },
			ThemeColor: class {},
			Range: class {},
			OverviewRulerLane: {},
			languages: { registerCodeLensProvider: () => ({}) },
			commands: { executeCommand: () => Promise.resolve() },
		},
	);
	const hunksOf = (uri: unknown) => (pending.includes(String(uri)) ? [HUNK] : []);
	const findFile = (uri: unknown) => ({ hunks: hunksOf(uri), runsWithBuild: false });
	extension.createHunkMarks({ onDidChange: changed.event, hunksOf, findFile } as never);
	const takeDrawn = () => drawn.splice(0);
	const marked = (name: string) => [0, 1, 0, 0].map((count) => `${name} ${count}`);
	const cleared = (name: string) => [0, 0, 0, 0].map((count) => `${name} ${count}`);

	changed.fire(undefined);
	assert.deepEqual(takeDrawn(), [...marked("a.ts"), ...marked("b.ts")]);
	window.visibleTextEditors = [a, other];
	visible.fire(undefined);
	assert.deepEqual(takeDrawn(), marked("a.ts"), "the closed one is not touched");
	pending = [];
	changed.fire(undefined);
	assert.deepEqual(takeDrawn(), cleared("a.ts"));
	changed.fire(undefined);
	visible.fire(undefined);
	assert.deepEqual(takeDrawn(), [], "nothing is left to take away");
});

test("what is above a change reviews the thread that made it, whichever is open", async () => {
	interface Lens {
		readonly command: { readonly command: string; readonly arguments: readonly unknown[] };
	}
	let provide: ((document: object) => readonly Lens[]) | undefined;
	const onNothing = () => ({});
	const extension = await loadOverPaper<{ readonly createHunkMarks: typeof createHunkMarks }>(
		["extension/review/hunk-marks.ts"],
		{
			...{
				l10n: {},
				EventEmitter: PaperEmitter,
				Disposable: { from: onNothing },
				ThemeColor: class {},
				Range: class {},
			},
			CodeLens: class {
				readonly command: unknown;
				constructor(_: unknown, command: unknown) {
					this.command = command;
				}
			},
			window: {
				createTextEditorDecorationType: onNothing,
				...{ onDidChangeVisibleTextEditors: onNothing, onDidChangeActiveTextEditor: onNothing },
			},
			OverviewRulerLane: {},
			languages: {
				registerCodeLensProvider: (_: unknown, provider: { readonly provideCodeLenses: typeof provide }) => {
					provide = provider.provideCodeLenses;
				},
			},
		},
	);
	const changes = { onDidChange: onNothing, hunksOf: () => [HUNK], findThread: () => "other" };
	extension.createHunkMarks(changes as never);
	const lenses = provide?.({ uri: "a.ts", lineCount: 3 }) ?? [];
	assert.deepEqual(
		lenses.map(({ command }) => [command.command, ...command.arguments]),
		[
			["vitrine.keepHunk", "h"],
			["vitrine.rejectHunk", "h"],
			["vitrine.commentHunk", "h"],
			["vitrine.reviewChanges", { id: "other" }],
		],
	);
});

test("the changes of every thread in a file are marked, not only those of the open one", async () => {
	const onNothing = () => ({ dispose: () => undefined });
	const uri = { scheme: "file", fsPath: "/app/a.ts", toString: () => "/app/a.ts" };
	const drawn: number[] = [];
	const setDecorations = (_: unknown, { length }: readonly unknown[]) => void drawn.push(length);
	const extension = await loadOverPaper<{
		readonly createHunkMarks: typeof createHunkMarks;
		readonly createPendingChanges: typeof createPendingChanges;
	}>(["extension/review/hunk-marks.ts", "extension/review/pending-changes.ts"], {
		EventEmitter: PaperEmitter,
		Uri: { file: () => uri },
		Disposable: { from: onNothing },
		ThemeColor: class {},
		Range: class {},
		OverviewRulerLane: {},
		window: {
			visibleTextEditors: [{ document: { uri, lineCount: 9 }, setDecorations }],
			createTextEditorDecorationType: onNothing,
			...{ onDidChangeVisibleTextEditors: onNothing, onDidChangeActiveTextEditor: onNothing },
		},
		workspace: { onDidChangeTextDocument: onNothing, onDidCloseTextDocument: onNothing },
		languages: { registerCodeLensProvider: onNothing },
		commands: { executeCommand: async () => undefined },
	});
	const events = new PaperEmitter();
	const host = {
		state: () => ({ state: "ready" }),
		onDidChangeState: onNothing,
		onThreadEvent: events.event,
		request: async (_: object, { threadId }: { readonly threadId: string }) => ({
			files: [{ path: "/app/a.ts", operation: "update", hunks: [{ ...HUNK, id: threadId }] }],
		}),
	};
	const panel = { threadId: () => "open", onDidChangeThread: onNothing };
	const changes = extension.createPendingChanges(host as never, panel as never, {} as never, createMemory() as never);
	extension.createHunkMarks(changes);
	for (const threadId of ["other", "open"]) events.fire({ threadId, event: { type: "turnDiff" } });
	await new Promise((resolve) => setImmediate(resolve));
	assert.deepEqual(drawn.slice(-4), [0, 2, 0, 0]);
});
