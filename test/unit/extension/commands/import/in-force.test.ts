import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { importSettings } from "../../../../../extension/commands/import/import-settings.ts";
import { loadOverPaper } from "../../../../support/load-over-paper.ts";

interface Item {
	readonly label: string;
	readonly picked?: boolean;
}

test("what a workspace sets does not decide what the user's own settings would be widened by", async (t) => {
	const folder = mkdtempSync(join(tmpdir(), "vitrine-import-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const file = join(folder, "config.toml");
	writeFileSync(file, "[sandbox_workspace_write]\nnetwork_access = true\n\n[ignored]\n");
	let offered: readonly Item[] = [];
	const showQuickPick = async (items: readonly Item[], { canPickMany }: { readonly canPickMany?: boolean }) => {
		if (canPickMany !== true) return items.at(-1);
		offered = items;
		return undefined;
	};
	// The repository's own `.vscode/settings.json` says what is in force in this window.
	const configuration = {
		get: () => "on",
		inspect: () => ({ defaultValue: "off", globalValue: undefined, workspaceValue: "on" }),
		update: assert.fail,
	};
	const loaded = await loadOverPaper<{ readonly importSettings: typeof importSettings }>(
		["extension/commands/import/import-settings.ts"],
		{
			window: {
				showQuickPick,
				showOpenDialog: async () => [{ fsPath: file }],
				showInformationMessage: async () => undefined,
			},
			workspace: { getConfiguration: () => configuration },
		},
	);
	await loaded.importSettings();
	assert.deepEqual(
		offered.map(({ label, picked }) => [label, picked]),
		[['vitrine.permissions.network: "on"', false]],
	);
});
