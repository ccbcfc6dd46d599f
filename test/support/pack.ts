import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findContents, packTo } from "../../pack.ts";
import { PROJECT } from "./editor-paths.ts";
import { runTool } from "./editor-tools.ts";

const VSIX = join(PROJECT, "dist", "vitrine.vsix");
const STAMP = join(PROJECT, "out", "vitrine.vsix.sha256");

export function buildExtension(): void {
	runTool(process.execPath, ["build.ts"], { cwd: PROJECT });
}

/** Packs the built extension, unless the same content is packed already. Gives the path of the file. */
export function packExtension(): string {
	const files = findContents();
	const content = hashContents(files);
	if (existsSync(VSIX) && existsSync(STAMP) && readFileSync(STAMP, "utf8") === content) return VSIX;
	mkdirSync(dirname(STAMP), { recursive: true });
	packTo(VSIX, process.env);
	writeFileSync(STAMP, content);
	return VSIX;
}

function hashContents(files: readonly string[]): string {
	const hash = createHash("sha256");
	for (const file of files) hash.update(file).update(readFileSync(join(PROJECT, file)));
	return hash.digest("hex");
}

if (import.meta.main) packExtension();
