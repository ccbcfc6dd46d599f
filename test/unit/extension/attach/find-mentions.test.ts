import assert from "node:assert/strict";
import { test } from "node:test";
import type { findMentions } from "../../../../extension/attach/find-mentions.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

test("a symbol whose file is gone is left out of the mentions, and the others are found", async () => {
	const symbol = (name: string) => ({
		name,
		location: { uri: { scheme: "file", path: `/app/${name}.ts` }, range: { start: { line: 0 }, end: { line: 0 } } },
	});
	const openTextDocument = async (uri: { readonly path: string }) => {
		if (uri.path.includes("gone")) throw new Error("The file is gone.");
		return { uri, lineCount: 1, lineAt: () => ({ text: "export const there = 1;" }) };
	};
	const { findMentions: find } = await loadOverPaper<{ readonly findMentions: typeof findMentions }>(
		["extension/attach/find-mentions.ts"],
		{
			l10n: {},
			window: { tabGroups: { all: [] } },
			languages: { getDiagnostics: () => [] },
			DiagnosticSeverity: {},
			extensions: { getExtension: () => undefined },
			commands: { executeCommand: async () => [symbol("gone"), symbol("there")] },
			workspace: {
				isTrusted: true,
				openTextDocument,
				asRelativePath: ({ path }: { readonly path: string }) => path,
				getConfiguration: () => ({ inspect: () => undefined }),
			},
		},
	);
	const answers: Readonly<Record<string, object>> = {
		"file/find": { files: [], isWhole: true },
		"server/findResources": { resources: [] },
		"thread/list": { threads: [] },
	};
	const host = { request: async ({ name }: { readonly name: string }) => answers[name] ?? assert.fail(name) };
	const token = { isCancellationRequested: false };
	let found: readonly string[] = [];
	for await (const { mentions } of find(host as never, undefined, "there", token as never)) {
		found = mentions.map(({ name, detail }) => `${name} ${detail}`);
	}
	assert.deepEqual(found, ["there /app/there.ts:1"]);
});
