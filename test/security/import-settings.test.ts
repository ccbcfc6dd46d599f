import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import * as esbuild from "esbuild";
import type { importSettings } from "../../extension/commands/import/import-settings.ts";
import { PROJECT } from "../support/editor-paths.ts";

const STUB = "vitrineImportingEditor";
const CONFIG = `model = "gpt-5"
sandbox_mode = "danger-full-access"
[sandbox_workspace_write]
network_access = true
[mcp_servers.docs]
command = "docs-server"
env = { KEY = "canary-secret" }
`;

interface Picked {
	readonly label: string;
	readonly picked?: boolean;
	readonly path?: string;
}

/** What the user does in the dialogs: which settings they select, and what they answer at the end. */
interface User {
	readonly select: (items: readonly Picked[]) => readonly Picked[];
	readonly agrees: boolean;
}

/** Runs the command with a file that the user chooses. */
async function runImport(t: TestContext, { select, agrees }: User) {
	const folder = mkdtempSync(join(tmpdir(), "vitrine-import-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const file = join(folder, "config.toml");
	writeFileSync(file, CONFIG);
	const written: Record<string, unknown> = {};
	const shown: string[] = [];
	const there: Readonly<Record<string, unknown>> = { "permissions.network": "off" };
	Object.assign(globalThis, {
		[STUB]: {
			ConfigurationTarget: { Global: 1 },
			workspace: {
				getConfiguration: () => ({
					get: (id: string) => there[id],
					inspect: () => ({}),
					update: async (id: string, value: unknown) => void Object.assign(written, { [id]: value }),
				}),
			},
			window: {
				showQuickPick: async (items: readonly Picked[], { canPickMany }: { readonly canPickMany?: true }) => {
					if (canPickMany !== true) return items.at(-1);
					shown.push(...items.map(({ label }) => label));
					return select(items);
				},
				showOpenDialog: async () => [{ fsPath: file }],
				showWarningMessage: async (_: string, { detail }: { readonly detail: string }, agree: string) => {
					shown.push(detail);
					return agrees ? agree : undefined;
				},
				showInformationMessage: async () => undefined,
			},
		},
	});
	const command = await loadCommand(folder);
	await command.importSettings();
	return { written, shown: shown.join("\n") };
}

async function loadCommand(folder: string): Promise<{ readonly importSettings: typeof importSettings }> {
	const outfile = join(folder, "import.mjs");
	await esbuild.build({
		...{ absWorkingDir: PROJECT, entryPoints: ["extension/commands/import/import-settings.ts"], outfile },
		...{ bundle: true, platform: "node", format: "esm", logLevel: "error" },
		plugins: [
			{
				name: "editor",
				setup({ onResolve, onLoad }) {
					onResolve({ filter: /^vscode$/ }, ({ path }) => ({ path, namespace: "editor" }));
					onLoad({ filter: /./, namespace: "editor" }, () => ({ contents: `module.exports = globalThis.${STUB};` }));
				},
			},
		],
	});
	return import(pathToFileURL(outfile).href);
}

const asOffered = (items: readonly Picked[]) => items.filter(({ picked }) => picked === true);

test("accepting an import as offered gives the agent no more access, and no secret leaves the file", async (t) => {
	const { written, shown } = await runImport(t, { select: asOffered, agrees: true });
	assert.deepEqual(written, { "model.provider": "openai", "model.id": "gpt-5" });
	assert.match(shown, /vitrine\.model\.id: "gpt-5"/);
	assert.match(shown, /sandbox_mode \(Full Access can only be granted to a single thread\)/);
	assert.match(shown, /mcp_servers\.docs\.env \(may contain secrets\)/);
	assert.doesNotMatch(shown, /canary-secret/);
});

test("settings that give more access are imported only when the user selects them", async (t) => {
	const { written } = await runImport(t, { select: (items) => items, agrees: true });
	assert.deepEqual(written, {
		"model.provider": "openai",
		"model.id": "gpt-5",
		"permissions.network": "on",
		servers: { docs: { command: "docs-server" } },
	});
});

test("nothing is imported without the user's final confirmation", async (t) => {
	assert.deepEqual((await runImport(t, { select: (items) => items, agrees: false })).written, {});
	assert.deepEqual((await runImport(t, { select: () => [], agrees: true })).written, {});
});
