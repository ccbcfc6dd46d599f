import assert from "node:assert/strict";
import { test } from "node:test";
import type { findCommand } from "../../../../extension/commands/panel-commands.ts";
import type * as reviewCommands from "../../../../extension/commands/review/review-changes.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

class PaperUri {
	readonly #path: string;
	constructor(path = "") {
		this.#path = path;
	}
	static file(path: string): PaperUri {
		return new PaperUri(path);
	}
	get fsPath(): string {
		return this.#path;
	}
	toString(): string {
		return this.#path;
	}
}

/** The commands in a window with this open thread; `judged` is what the host was told to keep or reject, and what was opened. */
async function openReview(open: string | undefined, changed: Readonly<Record<string, string>>, inDiff?: string) {
	const asked: string[] = [];
	const loaded = await loadOverPaper<typeof reviewCommands & { readonly findCommand: typeof findCommand }>(
		["extension/commands/review/review-changes.ts", "extension/commands/panel-commands.ts"],
		{
			l10n: {},
			Uri: PaperUri,
			workspace: { asRelativePath: String },
			window: {
				showWarningMessage: async (_: string, { detail }: { readonly detail: string }, first: string) => {
					asked.push(detail);
					return first;
				},
				showInformationMessage: async (said: string) => void asked.push(said),
			},
		},
	);
	const judged: unknown[] = [];
	const left = new Map(Object.entries(changed));
	const parts = {
		panel: { threadId: () => open },
		changes: {
			threads: () => [...left].map(([threadId, path]) => ({ threadId, files: [{ path, hunks: [] }] })),
			refresh: async () => undefined,
		},
		reviewDiff: {
			threadId: () => inDiff,
			tidy: async () => undefined,
			openFile: async (...opened: readonly unknown[]) => void judged.push(opened),
		},
		host: {
			request: async ({ name }: { readonly name: string }, params: { readonly threadId: string }) => {
				judged.push([name, params]);
				left.delete(params.threadId);
				return { left: [] };
			},
		},
	} as never;
	return { ...loaded, parts, judged, asked };
}

/** What a button in the title of an editor is given. */
const TITLE = new PaperUri();

test("Keep All and Reject All in the diff are about the thread that the diff shows, whichever is open by then", async () => {
	const { keepAll, rejectAll, parts, judged, asked } = await openReview(
		"open",
		{ open: "/a.ts", shown: "/b.ts" },
		"shown",
	);
	await rejectAll(parts, TITLE);
	assert.deepEqual(asked, ["Files: /b.ts. Your own edits are kept."]);
	await keepAll(parts, TITLE);
	assert.deepEqual(judged, [
		["review/reject", { threadId: "shown" }],
		["review/keep", { threadId: "shown" }],
	]);
});

test("a second press on Keep All or Reject All never judges the changes of another thread", async () => {
	for (const button of ["keepAllChanges", "rejectAllChanges"] as const) {
		const review = await openReview("open", { open: "/a.ts", other: "/b.ts" });
		const [, ...given] = review.findCommand(button, "open" as never);
		const press = button === "keepAllChanges" ? review.keepAll : review.rejectAll;
		for (const from of [given[0], { id: "open" }]) await press(review.parts, from);
		const threads = review.judged.map((one) => Object(Object(one)[1]).threadId);
		assert.deepEqual(new Set(threads), new Set(["open"]), button);
	}
});

test("without a button, all changes of the open thread are meant, or of another one if it has none", async () => {
	const { keepAll, parts, judged } = await openReview("open", { other: "/b.ts", open: "/a.ts" });
	await keepAll(parts);
	await keepAll(parts);
	assert.deepEqual(judged, [
		["review/keep", { threadId: "open" }],
		["review/keep", { threadId: "other" }],
	]);
});

test("Keep and Reject on one of several selected rows of Source Control judge every one of them, and nothing else", async () => {
	const row = (threadId: string, path: string) => ({ threadId, resourceUri: new PaperUri(path) });
	const changed = { one: "/a.ts", two: "/b.ts", three: "/c.ts" };
	for (const button of ["keepFile", "rejectFile"] as const) {
		const review = await openReview("three", changed);
		await review[button](review.parts, row("one", "/a.ts"), row("two", "/b.ts"));
		const name = button === "keepFile" ? "review/keep" : "review/reject";
		assert.deepEqual(review.judged, [
			[name, { threadId: "one", path: "/a.ts" }],
			[name, { threadId: "two", path: "/b.ts" }],
		]);
	}
});

test("Keep in the title of an editor judges its file, whatever else the editor says of its place", async () => {
	const { keepFile, parts, judged } = await openReview("one", { one: "/a.ts", two: "/b.ts" });
	await keepFile(parts, new PaperUri("/b.ts"), { groupId: 0 });
	assert.deepEqual(judged, [["review/keep", { threadId: "two", path: "/b.ts" }]]);
});

test("Open Changes on several selected rows opens each in a tab that stays, and on one row, or in an editor, one file", async () => {
	const row = (threadId: string, path: string) => ({ threadId, resourceUri: new PaperUri(path) });
	const { openFileChanges, parts, judged } = await openReview(undefined, {
		one: "/a.ts",
		two: "/b.ts",
		three: "/a.ts",
	});
	await openFileChanges(parts, row("one", "/a.ts"), row("two", "/b.ts"));
	assert.deepEqual(judged.splice(0), [
		["one", "/a.ts", "stays"],
		["two", "/b.ts", "stays"],
	]);
	await openFileChanges(parts, row("two", "/b.ts"));
	await openFileChanges(parts, new PaperUri("/a.ts"), { groupId: 0 });
	assert.deepEqual(judged, [
		["two", "/b.ts", "preview"],
		["one", "/a.ts", "preview"],
	]);
});
