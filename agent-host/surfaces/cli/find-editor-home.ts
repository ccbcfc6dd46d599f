import { stat } from "node:fs/promises";
import { posix, win32 } from "node:path";

/** Where the extension keeps its threads, below the data folder of an editor. */
const STORAGE = ["User", "globalStorage", "vitrine.vitrine"];

/** Data folders of editors, the most common one first. */
const DESKTOP = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"];
const SERVER = [".vscode-server/data", ".vscode-server-insiders/data", ".vscodium-server/data", ".cursor-server/data"];

interface Machine {
	readonly platform: NodeJS.Platform;
	readonly home: string;
	readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Where an editor on this machine would keep its threads. */
export function listEditorHomes({ platform, home, environment }: Machine): readonly string[] {
	if (platform === "win32") {
		const base = environment.APPDATA ?? win32.join(home, "AppData", "Roaming");
		return DESKTOP.map((editor) => win32.join(base, editor, ...STORAGE));
	}
	if (platform === "darwin") {
		return DESKTOP.map((editor) => posix.join(home, "Library/Application Support", editor, ...STORAGE));
	}
	const config = environment.XDG_CONFIG_HOME ?? posix.join(home, ".config");
	const data = environment.XDG_DATA_HOME ?? posix.join(home, ".local/share");
	return [
		...DESKTOP.map((editor) => posix.join(config, editor, ...STORAGE)),
		...SERVER.map((folder) => posix.join(home, folder, ...STORAGE)),
		posix.join(data, "code-server", ...STORAGE),
	];
}

/** The home that the command line shares with an editor; undefined if no editor here has threads. */
export async function findEditorHome(machine: Machine): Promise<string | undefined> {
	for (const folder of listEditorHomes(machine)) {
		const found = await stat(`${folder}/threads`).catch(() => undefined);
		if (found?.isDirectory()) return folder;
	}
	return undefined;
}
