import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";

const PLACES = [
	{ name: "Codex", file: join(".codex", "config.toml") },
	{ name: "Claude Code", file: join(".claude", "settings.json") },
] as const;

export interface ForeignSettings {
	readonly label: string;
	readonly description: string;
	readonly path: string;
}

/** The settings files of other agents that the user has. */
export async function findForeignSettings(): Promise<readonly ForeignSettings[]> {
	const places = PLACES.map(({ name, file }) => ({
		label: name,
		description: join("~", file),
		path: join(homedir(), file),
	}));
	const found = await Promise.all(places.map(({ path }) => isFile(path)));
	return places.filter((_, index) => found[index]);
}

/** The palette lists the import only where there is something to import. */
export async function offerImport(): Promise<void> {
	const isOffered = (await findForeignSettings()).length > 0;
	await vscode.commands.executeCommand("setContext", "vitrine.foundSettings", isOffered);
}

async function isFile(path: string): Promise<boolean> {
	return stat(path).then(
		(found) => found.isFile(),
		() => false,
	);
}
