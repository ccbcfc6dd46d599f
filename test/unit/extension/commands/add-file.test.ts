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

const isThere = async () => ({ type: 1 });

/** Adds so many files that were chosen in the explorer or in source control. */
async function add(count: number, stat: (uri: Uri) => Promise<object> = isThere) {
	const warnings: string[] = [];
	const { addFile: run } = await loadOverPaper<{ readonly addFile: typeof addFile }>(
		["extension/commands/chat/editor-actions.ts"],
		{
			Uri,
			FileType: { Unknown: 0, Directory: 2 },
			workspace: { fs: { stat }, asRelativePath: ({ path }: Uri) => path },
			window: { showWarningMessage: async (words: string) => void warnings.push(words) },
		},
	);
	const uris = Array.from({ length: count }, (_, index) => new Uri(`/repo/${index}.ts`));
	const attached: string[] = [];
	const compose = async (_: string, offers: readonly { readonly label: string }[]) =>
		void attached.push(...offers.map(({ label }) => label));
	await run({ panel: { compose } } as never, uris[0], uris);
	return { attached, warnings };
}

test("if too many files are added at once, the first are attached and the user is told", async () => {
	const { attached, warnings } = await add(21);
	assert.deepEqual([attached.length, attached.at(-1)], [20, "19.ts"]);
	assert.deepEqual(warnings, ["Only the first 20 files are attached."]);
	assert.deepEqual((await add(20)).warnings, []);
});

test("a file that was deleted in source control is added by its name, along with the others", async () => {
	const stat = async ({ path }: Uri) => (path === "/repo/0.ts" ? Promise.reject(new Error("ENOENT")) : isThere());
	assert.deepEqual(await add(2, stat), { attached: ["0.ts", "1.ts"], warnings: [] });
});
