import { createHash } from "node:crypto";
import {
	cpSync,
	existsSync,
	globSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
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
	const files = findContents();
	const content = hashContents(files);
	if (existsSync(VSIX) && existsSync(STAMP) && readFileSync(STAMP, "utf8") === content) return VSIX;
	mkdirSync(dirname(STAMP), { recursive: true });
	// vsce looks at every file below its folder, and the editor under test has tens of thousands of them.
	const stage = mkdtempSync(join(dirname(STAMP), "package-"));
	for (const file of files) cpSync(join(PROJECT, file), join(stage, file));
	const packed = join(stage, "vitrine.vsix");
	runTool(process.execPath, [VSCE, "package", "--no-dependencies", "--allow-missing-repository", "--out", packed], {
		cwd: stage,
	});
	renameSync(packed, VSIX);
	rmSync(stage, { recursive: true });
	writeFileSync(STAMP, content);
	return VSIX;
}

function findContents(): readonly string[] {
	return globSync(CONTENTS, { cwd: PROJECT })
		.filter((file) => !file.endsWith(".vsix") && statSync(join(PROJECT, file)).isFile())
		.sort();
}

function hashContents(files: readonly string[]): string {
	const hash = createHash("sha256");
	for (const file of files) hash.update(file).update(readFileSync(join(PROJECT, file)));
	return hash.digest("hex");
}

if (import.meta.main) packExtension();
