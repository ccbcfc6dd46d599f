import assert from "node:assert/strict";
import { test } from "node:test";
import type { remember } from "../../../../extension/commands/customize/remember.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

test("an instruction that was not added is in the prompt again", async () => {
	const broken = new Error("The disk is full.");
	for (const [picked, problem] of [
		[undefined, undefined],
		[{ uri: { with: () => undefined } }, broken],
	] as const) {
		const loaded = await loadOverPaper<{ readonly remember: typeof remember }>(
			["extension/commands/customize/remember.ts"],
			{
				...{
					l10n: {},
					Uri: { joinPath: () => "file:///home/AGENTS.md" },
					window: { showQuickPick: async () => picked },
				},
				workspace: {
					openTextDocument: async () => {
						throw broken;
					},
				},
			},
		);
		const returned: unknown[] = [];
		const panel = { compose: async (...composed: readonly unknown[]) => void returned.push(composed) };
		const failure = await loaded.remember({ panel } as never, "Use tabs.").catch((error: unknown) => error);
		assert.deepEqual([returned, failure], [[["/remember Use tabs.", [], "write"]], problem]);
	}
});
