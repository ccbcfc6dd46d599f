import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const EDITOR_MODULES = join(import.meta.dirname, "../../editor/vscode/node_modules");
const MACHINE = `${process.platform}-${process.arch}`;

/** A folder with a real ripgrep: on the PATH, or where the editor of our tests brings its own. */
export function findRipgrepFolder(): string | undefined {
	const folders = [
		...(process.env.PATH ?? "").split(delimiter),
		join(EDITOR_MODULES, "code-server/lib/vscode/node_modules/@vscode/ripgrep-universal/bin", MACHINE),
		join(EDITOR_MODULES, "code-server/lib/vscode/node_modules/@vscode/ripgrep/bin"),
	];
	return folders.find((folder) => isExecutable(join(folder, "rg")));
}

function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
