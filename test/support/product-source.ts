import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "./editor-paths.ts";

/** Files of the product below these folders, without what only declares the protocol, and without comments. */
export function sourceOf(...folders: readonly string[]): string {
	return folders
		.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`, { cwd: PROJECT }))
		.filter((file) => !file.startsWith("agent-host/protocol/"))
		.map((file) => withoutComments(readFileSync(join(PROJECT, file), "utf8")))
		.join("\n");
}

function withoutComments(source: string): string {
	return source.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "");
}
