import { existsSync } from "node:fs";
import { join } from "node:path";

/** The editor's bundled ripgrep; its path differs between releases. */
export function findEditorRipgrep(appRoot: string): string | undefined {
	const program = process.platform === "win32" ? "rg.exe" : "rg";
	const platform = `${process.platform}-${process.arch}`;
	const packages = ["@vscode/ripgrep-universal/bin", "@vscode/ripgrep/bin"];
	const places = ["node_modules", "node_modules.asar.unpacked"].flatMap((modules) =>
		packages.flatMap((name) => [join(modules, name, platform, program), join(modules, name, program)]),
	);
	return places.map((place) => join(appRoot, place)).find((path) => existsSync(path));
}
