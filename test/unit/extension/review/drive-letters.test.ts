import assert from "node:assert/strict";
import { test } from "node:test";
import type * as reviewCommands from "../../../../extension/commands/review/review-changes.ts";
import type * as baseDocuments from "../../../../extension/review/base-documents.ts";
import type * as sourceControl from "../../../../extension/review/source-control.ts";
import { loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

/** On Windows the editor writes the letter of a drive small; the system, and so the host, does not. */
const [IN_EDITOR, IN_HOST] = ["c:\\app\\a.ts", "C:\\app\\a.ts"];

class PaperUri {
	readonly scheme: string;
	readonly path: string;
	readonly query: string;
	constructor(scheme: string, path: string, query = "") {
		[this.scheme, this.path, this.query] = [scheme, path, query];
	}
	static file(path: string): PaperUri {
		return new PaperUri("file", path.replaceAll("\\", "/").replace(/^(?=[A-Za-z]:)/, "/"));
	}
	get fsPath(): string {
		return lower(this.path).slice(1).replaceAll("/", "\\");
	}
	with({ scheme, query }: { readonly scheme: string; readonly query: string }): PaperUri {
		return new PaperUri(scheme, this.path, query);
	}
	toString(): string {
		return `${this.scheme}://${lower(this.path)}`;
	}
}

const lower = (path: string) => path.replace(/^\/[A-Z]:/, (drive) => drive.toLowerCase());

interface Providers {
	provideTextDocumentContent?: (uri: PaperUri) => Promise<string>;
	provideOriginalResource?: (uri: PaperUri) => PaperUri | undefined;
}

/** The review of a window on Windows, of a thread that has changed one file. */
async function openReview() {
	const providers: Providers = {};
	const control = {
		inputBox: {},
		createResourceGroup: () => ({ dispose: () => undefined }),
		set quickDiffProvider(provider: Providers) {
			Object.assign(providers, { provideOriginalResource: provider.provideOriginalResource });
		},
	};
	const loaded = await loadOverPaper<typeof reviewCommands & typeof baseDocuments & typeof sourceControl>(
		["commands/review/review-changes.ts", "review/base-documents.ts", "review/source-control.ts"].map(
			(file) => `extension/${file}`,
		),
		{
			...{ l10n: {}, Uri: PaperUri, EventEmitter: PaperEmitter, Disposable: { from: () => undefined } },
			scm: { createSourceControl: () => control },
			workspace: {
				textDocuments: [],
				openTextDocument: async () => ({ getText: () => "as it is" }),
				registerTextDocumentContentProvider: (_: string, provider: Providers) => Object.assign(providers, provider),
			},
		},
	);
	const judged: unknown[] = [];
	const host = {
		onThreadEvent: () => undefined,
		request: async ({ name }: { readonly name: string }, params: { readonly path?: string }) => {
			if (name === "thread/read") return { title: "One" };
			if (name === "review/keep") judged.push(params);
			else if (params.path !== IN_HOST) throw new Error("No pending changes.");
			return { text: "as it was", left: [] };
		},
	};
	const files = [{ path: IN_HOST, operation: "update", hunks: [] }];
	const changed = new PaperEmitter();
	const changes = {
		threads: () => [{ threadId: "one", files }],
		onDidChange: changed.event,
		refresh: async () => undefined,
	};
	loaded.createBaseDocuments(host as never, changes as never);
	loaded.createChangesControl(host as never, changes as never);
	changed.fire(undefined);
	const parts = { host, changes, panel: { threadId: () => "one" }, reviewDiff: { tidy: async () => undefined } };
	return { ...loaded, ...providers, parts: parts as never, judged };
}

test("on Windows the changes in a file are found by its address in the editor", async () => {
	const { keepFile, parts, judged } = await openReview();
	const row = { threadId: "one", resourceUri: PaperUri.file(IN_HOST) };
	for (const from of [PaperUri.file(IN_EDITOR), row]) await keepFile(parts, from);
	assert.deepEqual(judged, [
		{ threadId: "one", path: IN_HOST },
		{ threadId: "one", path: IN_HOST },
	]);
});

test("on Windows a diff and the gutter compare a file with what it was before the changes", async () => {
	const { baseUri, provideTextDocumentContent, provideOriginalResource } = await openReview();
	const gutter = provideOriginalResource?.(PaperUri.file(IN_EDITOR));
	assert.ok(gutter);
	for (const side of [baseUri(IN_HOST, "one" as never), gutter]) {
		assert.equal(await provideTextDocumentContent?.(side as never), "as it was");
	}
});
