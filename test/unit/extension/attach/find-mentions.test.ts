import assert from "node:assert/strict";
import { test } from "node:test";
import { asMessage, say } from "../../../../agent-host/protocol/say.ts";
import type { FoundMentions, findMentions } from "../../../../extension/attach/find-mentions.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

test("a symbol whose file is gone is left out of the mentions, and the others are found", async () => {
	const found = await findThere({ files: [], isWhole: true });
	assert.deepEqual(
		found.mentions.map(({ name, detail }) => `${name} ${detail}`),
		["there /app/there.ts:1"],
	);
});

test("why files are missing comes with the mentions, and only then", async () => {
	const cut = say("files-listed-in-part", { count: 200_000 });
	const found = await findThere({ files: [], isWhole: true, cut: asMessage(cut) });
	assert.equal(found.missing, cut.text.replace("200000", "200,000"));
	assert.equal("missing" in (await findThere({ files: [], isWhole: true })), false);
});

test("a file or folder is shown with the folder that it is in, and one of the root with nothing else", async () => {
	const names = ["README.md", "src/", "src/retry.ts", "src/support/time/"];
	const files = names.map((name) => ({
		name,
		path: `/app/${name.replace(/\/$/, "")}`,
		kind: name.endsWith("/") ? "folder" : "file",
	}));
	const { mentions } = await findThere({ files, isWhole: true });
	assert.deepEqual(
		mentions.slice(0, names.length).map(({ label, detail, name }) => [label, detail, name]),
		[
			["README.md", "", "README.md"],
			["src", "", "src/"],
			["retry.ts", "src", "src/retry.ts"],
			["time", "src/support", "src/support/time/"],
		],
	);
});

/** The last list for "there", if the host answers so to the search for files. */
async function findThere(files: object): Promise<FoundMentions> {
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
			Uri: { file: (path: string) => ({ path }) },
			workspace: {
				isTrusted: true,
				openTextDocument,
				asRelativePath: ({ path }: { readonly path: string }) => path,
				getConfiguration: () => ({ inspect: () => undefined }),
			},
		},
	);
	const answers: Readonly<Record<string, object>> = {
		"file/find": files,
		"server/findResources": { resources: [] },
		"thread/list": { threads: [] },
	};
	const host = { request: async ({ name }: { readonly name: string }) => answers[name] ?? assert.fail(name) };
	const token = { isCancellationRequested: false };
	let found: FoundMentions | undefined;
	for await (found of find(host as never, undefined, "there", token as never));
	return found ?? assert.fail("nothing was found");
}
