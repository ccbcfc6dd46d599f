import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import * as vscode from "vscode";
import { countOf, t } from "../../../l10n/t.ts";
import { withoutIcons } from "../../facts/plain-row.ts";
import { ownValue } from "../../facts/proxy.ts";
import { showInformation, showWarning } from "../../facts/show-message.ts";
import { describeImported, describeLeftOut, describeWhole } from "./describe-imported.ts";
import { findForeignSettings } from "./find-foreign-settings.ts";
import { collectImported, type Imported, type ImportedSetting, joinValues, type Mapped } from "./imported-settings.ts";
import { mapClaudeCode } from "./map-claude-code.ts";
import { mapCodex } from "./map-codex.ts";
import { readToml, TomlError } from "./read-toml.ts";

/** More than a person writes into a settings file. */
const MAX_BYTES = 1_000_000;

/** Takes settings of another agent, after the user has seen and selected each. */
export async function importSettings(): Promise<void> {
	const file = await chooseFile();
	if (file === undefined) return;
	const settings = vscode.workspace.getConfiguration("vitrine");
	const imported = collectImported(await readMapped(file), (id) => ownValue(settings.inspect(id)));
	const chosen = await chooseSettings(imported, basename(file));
	if (chosen === undefined) return;
	for (const { id, value } of chosen) {
		const there = settings.inspect(id)?.globalValue;
		await settings.update(id, joinValues(there, value), vscode.ConfigurationTarget.Global);
	}
	void showInformation(t("Vitrine: {0}", countOf(chosen.length, "{0} setting imported.", "{0} settings imported.")));
}

async function chooseFile(): Promise<string | undefined> {
	const other = { label: t("Choose File…"), description: "config.toml, settings.json", path: undefined };
	const items = [...(await findForeignSettings()), other];
	const chosen = await vscode.window.showQuickPick(items, {
		title: t("Import Settings"),
		placeHolder: t("Import settings from"),
	});
	if (chosen === undefined || chosen.path !== undefined) return chosen?.path;
	const filters = { [t("Settings of Codex or Claude Code")]: ["toml", "json"] };
	const [source] = (await vscode.window.showOpenDialog({ title: t("Import Settings"), filters })) ?? [];
	return source?.fsPath;
}

async function readMapped(file: string): Promise<readonly (readonly [string, Mapped])[]> {
	const { size } = await stat(file);
	if (size > MAX_BYTES) throw new Error(t("{0} is too large for a settings file.", basename(file)));
	const text = await readFile(file, "utf8");
	try {
		return file.endsWith(".toml") ? mapCodex(readToml(text)) : mapClaudeCode(Object(JSON.parse(text)));
	} catch (error) {
		if (error instanceof TomlError) throw new Error(t("{0} can't be read: line {1}.", basename(file), error.line));
		throw new Error(t("{0} is not valid JSON.", basename(file)));
	}
}

/** What gives the agent more access is not selected at first. Undefined if nothing is to be imported. */
async function chooseSettings(
	{ settings, leftOut }: Imported,
	file: string,
): Promise<readonly ImportedSetting[] | undefined> {
	const unused = leftOut.length === 0 ? [] : [t("Not imported:"), ...leftOut.map(describeLeftOut)];
	if (settings.length === 0) {
		const detail = unused.join("\n");
		await showInformation(t("{0} has no new settings for Vitrine.", file), {
			modal: true,
			detail,
		});
		return undefined;
	}
	const items = settings.map((setting) => ({
		label: withoutIcons(describeImported(setting)),
		description: setting.widens ? t("gives the agent more access") : "",
		picked: !setting.widens,
		setting,
	}));
	const options = { title: t("Import Settings"), placeHolder: t("Settings to import"), canPickMany: true as const };
	const chosen = (await vscode.window.showQuickPick(items, options))?.map(({ setting }) => setting);
	if (chosen === undefined || chosen.length === 0) return undefined;
	const detail = [...chosen.map(describeWhole), ...(unused.length === 0 ? [] : ["", ...unused])].join("\n");
	const question = countOf(chosen.length, "Import {0} setting?", "Import {0} settings?");
	const agree = t("Import");
	const answer = await showWarning(question, { modal: true, detail }, agree);
	return answer === agree ? chosen : undefined;
}
