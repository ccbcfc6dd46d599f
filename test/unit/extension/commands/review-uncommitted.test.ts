import assert from "node:assert/strict";
import { test } from "node:test";
import type { reviewUncommitted } from "../../../../extension/commands/chat/editor-actions.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

class Uri {
	readonly fsPath: string;
	constructor(path: string) {
		this.fsPath = path;
	}
	toString(): string {
		return `file://${this.fsPath}`;
	}
}

/** What a review of the uncommitted changes in two open repositories sends; `from` is what the button is given. */
async function reviewFor(from: unknown): Promise<readonly string[]> {
	const repositories = ["/one", "/two"].map((path) => ({
		rootUri: new Uri(path),
		state: { indexChanges: [], workingTreeChanges: [{ uri: new Uri(`${path}/a.ts`) }] },
		diff: async (cached: boolean) => (cached ? "" : `diff --git a/a.ts b/a.ts\n+in ${path}\n`),
	}));
	const { reviewUncommitted: run } = await loadOverPaper<{ readonly reviewUncommitted: typeof reviewUncommitted }>(
		["extension/commands/chat/editor-actions.ts"],
		{
			...{ l10n: {}, Uri, workspace: { isTrusted: true } },
			extensions: { getExtension: () => ({ isActive: true, exports: { getAPI: () => ({ repositories }) } }) },
		},
	);
	const sent: string[] = [];
	const review = async (_: string, { read }: { readonly read: () => Promise<{ readonly text: string }> }) =>
		void sent.push(...((await read()).text.match(/(?<=^\+)in .*/gm) ?? []));
	await run({ panel: { review }, findings: { dismissed: () => [] } } as never, from);
	return sent;
}

test("a review from a repository's menu sends its uncommitted changes only, one from the chat those of all", async () => {
	assert.deepEqual(await reviewFor({ rootUri: new Uri("/two") }), ["in /two"]);
	assert.deepEqual(await reviewFor(undefined), ["in /one", "in /two"]);
});
