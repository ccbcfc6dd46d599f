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

test("a workspace's settings do not affect whether an import counts as widening the user's own", async (t) => {
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

test("the dialog shows every imported setting in full, and a setting too long for it is left out", async (t) => {
	const folder = mkdtempSync(join(tmpdir(), "vitrine-import-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const file = join(folder, "config.toml");
	const servers = ["one", "two", "three"].map((name) => `[mcp_servers.${name}]\ncommand = "${name.repeat(30)}"\n`);
	writeFileSync(file, `developer_instructions = "${"x".repeat(4_001)}"\n${servers.join("")}`);
	let dialog = "";
	const updated: (readonly [string, unknown])[] = [];
	const loaded = await loadOverPaper<{ readonly importSettings: typeof importSettings }>(
		["extension/commands/import/import-settings.ts"],
		{
			ConfigurationTarget: {},
			window: {
				showQuickPick: async (items: readonly Item[], { canPickMany }: { readonly canPickMany?: boolean }) =>
					canPickMany === true ? items : items.at(-1),
				showOpenDialog: async () => [{ fsPath: file }],
				showInformationMessage: async () => undefined,
				showWarningMessage: async (_: string, { detail }: { readonly detail: string }, agree: string) => {
					dialog = detail;
					return agree;
				},
			},
			workspace: {
				getConfiguration: () => ({
					inspect: () => undefined,
					update: async (id: string, value: unknown) => void updated.push([id, value]),
				}),
			},
		},
	);
	await loaded.importSettings();
	assert.deepEqual(
		updated.map(([id]) => id),
		["servers"],
	);
	assert.ok(dialog.includes(`vitrine.servers: ${JSON.stringify(updated[0]?.[1])}`), dialog);
	assert.match(dialog, /vitrine\.instructions\.developer \(too long to be shown\)/);
});
