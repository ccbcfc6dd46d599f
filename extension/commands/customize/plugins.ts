import * as vscode from "vscode";
import { pluginInspect, pluginInstall, pluginList, pluginRemove } from "../../../agent-host/protocol/host/plugins.ts";
import { t } from "../../../l10n/t.ts";
import { withoutIcons } from "../../facts/plain-row.ts";
import { showInformation, showWarning } from "../../facts/show-message.ts";
import type { Parts } from "../parts.ts";
import { describePlugin } from "./plugin-words.ts";

/** Installs a folder as a plugin, after the user has seen everything that it brings along. */
export async function installPlugin({ host }: Parts): Promise<void> {
	const [chosen] =
		(await vscode.window.showOpenDialog({
			canSelectFiles: false,
			canSelectFolders: true,
			title: t("Choose the plugin's folder"),
			openLabel: t("Install Plugin"),
		})) ?? [];
	if (chosen === undefined) return;
	const folder = chosen.fsPath;
	const plugin = await host.request(pluginInspect, { folder });
	const install = t("Install");
	const question = t("Install the plugin {0}? It can use everything listed here.", nameVersion(plugin));
	const options = { modal: true, detail: describePlugin(plugin) };
	const compare = t("Show Changes");
	const others = plugin.changes === undefined ? [] : [compare];
	const answer = await showWarning(question, options, install, ...others);
	if (answer === compare && plugin.changes !== undefined) {
		const document = await vscode.workspace.openTextDocument({ language: "diff", content: plugin.changes });
		await vscode.window.showTextDocument(document);
		// Not modal, so that the changes can be read first.
		if ((await showWarning(question, install)) !== install) return;
	} else if (answer !== install) return;
	// Exactly what was shown, or nothing.
	await host.request(pluginInstall, { folder, digest: plugin.digest });
	const done = t("Plugin {0} installed. It is available from the next turn.", plugin.name);
	void showInformation(done);
}

/** Shows the installed plugins with what they bring along, and removes the one that is picked. */
export async function removePlugin({ host }: Parts): Promise<void> {
	const { plugins, unusable } = await host.request(pluginList, {});
	if (plugins.length + unusable.length === 0) {
		void showInformation(t("No plugins are installed."));
		return;
	}
	const rows = plugins.map((plugin) => ({
		label: withoutIcons(nameVersion(plugin)),
		description: t("About {0} tokens in every request", plugin.tokens),
		detail: withoutIcons(
			[...plugin.skills, ...plugin.commands, ...plugin.agents, ...plugin.hooks, ...plugin.servers].join("; "),
		),
		name: plugin.name,
	}));
	const broken = unusable.map(({ digest, problem }) => ({ label: withoutIcons(problem), name: digest }));
	const picked = await vscode.window.showQuickPick([...rows, ...broken], { title: t("Remove Plugin") });
	if (picked === undefined) return;
	await host.request(pluginRemove, { name: picked.name });
	void showInformation(t("Plugin {0} removed.", picked.name));
}

function nameVersion({ name, version }: { readonly name: string; readonly version: string }): string {
	return version === "" ? name : `${name} ${version}`;
}
