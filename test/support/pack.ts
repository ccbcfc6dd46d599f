import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PROJECT } from "./editor-paths.ts";
import { runTool } from "./editor-tools.ts";

const VSIX = join(PROJECT, "dist", "vitrine.vsix");
const STAMP = join(PROJECT, "out", "vitrine.vsix.sha256");
const VSCE = join(PROJECT, "node_modules", "@vscode", "vsce", "vsce");

// Everything that can reach the package; a file that is missing here would leave an old package in use.
const CONTENTS = [
	"dist/**",
	"media/dist/**",
	"media/icons/**",
	"docs/pictures/*.png",
	"l10n/*.json",
	"package*.json",
	"*.md",
	"LICENSE",
	".vscodeignore",
];

export function buildExtension(): void {
	runTool(process.execPath, ["build.ts"], { cwd: PROJECT });
}

/** Packs the built extension, unless the same content is packed already. Gives the path of the file. */
export function packExtension(): string {
	const content = hashContents();
	if (existsSync(VSIX) && existsSync(STAMP) && readFileSync(STAMP, "utf8") === content) return VSIX;
	// An old package lies in a folder that is packed, and would be packed with it.
	rmSync(VSIX, { force: true });
	runTool(process.execPath, [VSCE, "package", "--no-dependencies", "--allow-missing-repository", "--out", VSIX], {
		cwd: PROJECT,
	});
	mkdirSync(dirname(STAMP), { recursive: true });
	writeFileSync(STAMP, content);
	return VSIX;
}

function hashContents(): string {
	const hash = createHash("sha256");
	const entries = globSync(CONTENTS, { cwd: PROJECT, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
	for (const file of files.filter((path) => path !== VSIX).sort()) hash.update(file).update(readFileSync(file));
	return hash.digest("hex");
}
