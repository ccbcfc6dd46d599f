import { join } from "node:path";
import * as esbuild from "esbuild";
import { PROJECT } from "./editor-paths.ts";

/** Bundles the tests that run inside the extension host, which loads CommonJS. Gives the path of the bundle. */
export async function buildInEditor(): Promise<string> {
	const outfile = join(PROJECT, "out", "in-editor.cjs");
	await esbuild.build({
		absWorkingDir: PROJECT,
		entryPoints: ["test/editor/in-editor/index.ts"],
		outfile,
		bundle: true,
		platform: "node",
		target: "node22",
		format: "cjs",
		external: ["vscode"],
		sourcemap: "inline",
		logLevel: "warning",
	});
	return outfile;
}
