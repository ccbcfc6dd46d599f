import * as vscode from "vscode";
import { t } from "../../../l10n/t.ts";
import type { Parts } from "../parts.ts";
import { pickPlace } from "./pick-place.ts";
import { commandTemplate, refuseName, skillTemplate } from "./templates.ts";

/** Asks for a name, writes a skill, and opens it. */
export async function newSkill({ home }: Parts): Promise<void> {
	const name = await askName(t("New Skill"), t("Name of the skill, such as release-notes"));
	if (name === undefined) return;
	const place = await pickPlace(t("New Skill"), {
		workspace: `.agents/skills/${name}/SKILL.md`,
		own: vscode.Uri.joinPath(home, "skills", name, "SKILL.md"),
	});
	if (place !== undefined) await write(place, skillTemplate(name));
}

/** Asks for a name, writes a command, and opens it. */
export async function newCommand({ home }: Parts): Promise<void> {
	const name = await askName(t("New Command"), t("Name of the command, such as explain-test"));
	if (name === undefined) return;
	const place = await pickPlace(t("New Command"), {
		workspace: `.claude/commands/${name}.md`,
		own: vscode.Uri.joinPath(home, "commands", `${name}.md`),
	});
	if (place !== undefined) await write(place, commandTemplate(name));
}

function askName(title: string, prompt: string): Thenable<string | undefined> {
	return vscode.window.showInputBox({ title, prompt, validateInput: refuseName });
}

/** Nothing is overwritten: what exists is opened as it is. */
async function write(uri: vscode.Uri, text: string): Promise<void> {
	const edit = new vscode.WorkspaceEdit();
	edit.createFile(uri, { ignoreIfExists: true, contents: new TextEncoder().encode(text) });
	if (!(await vscode.workspace.applyEdit(edit))) throw new Error(t("{0} could not be written.", uri.fsPath));
	await vscode.window.showTextDocument(uri);
}
