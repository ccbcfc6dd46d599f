import assert from "node:assert/strict";
import { test } from "node:test";
import type { addFile } from "../../../../extension/commands/chat/editor-actions.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

class Uri {
	readonly scheme = "file";
	readonly fsPath: string;
	readonly path: string;
	constructor(path: string) {
		this.path = this.fsPath = path;
	}
	toString(): string {
		return `file://${this.path}`;
	}
}

/** Adds so many files that were chosen in the explorer. */
async function add(count: number) {
	const warnings: string[] = [];
	const { addFile: run } = await loadOverPaper<{ readonly addFile: typeof addFile }>(
		["extension/commands/chat/editor-actions.ts"],
		{
			Uri,
			FileType: { Directory: 2 },
			workspace: { fs: { stat: async () => ({ type: 1 }) }, asRelativePath: ({ path }: Uri) => path },
			window: { showWarningMessage: async (words: string) => void warnings.push(words) },
		},
	);
	const uris = Array.from({ length: count }, (_, index) => new Uri(`/work/${index}.ts`));
	const attached: string[] = [];
	const compose = async (_: string, offers: readonly { readonly label: string }[]) =>
		void attached.push(...offers.map(({ label }) => label));
	await run({ panel: { compose } } as never, uris[0], uris);
	return { attached, warnings };
}

test("of more files than can be added at once, the first are added, and the user is told", async () => {
	const { attached, warnings } = await add(21);
	assert.deepEqual([attached.length, attached.at(-1)], [20, "19.ts"]);
	assert.deepEqual(warnings, ["Only the first 20 files are attached."]);
	assert.deepEqual((await add(20)).warnings, []);
});
