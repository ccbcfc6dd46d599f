import { cpSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "./editor-paths.ts";

/** Copies the sample workspace into a new folder below `parent`, where it may be changed freely. */
export function copySample(parent: string): string {
	const folder = join(mkdtempSync(join(parent, "sample-")), "corner-shop");
	cpSync(join(PROJECT, "test", "sample-workspace"), folder, { recursive: true });
	return folder;
}
