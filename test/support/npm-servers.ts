import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { npmEnvironment } from "./editor-install.ts";
import { PROJECT } from "./editor-paths.ts";
import { repeat, runTool } from "./editor-tools.ts";

const LOCKED = join(PROJECT, "test", "editor", "npm-servers");

/** The servers of docs/using.md, once installed. */
export interface NpmServers {
	/** Puts them into a workspace, as `npm install --save-dev` does. */
	readonly moveInto: (workspace: string) => void;
	readonly remove: () => void;
}

export function installNpmServers(): NpmServers {
	const folder = mkdtempSync(join(tmpdir(), "vitrine-"));
	for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(LOCKED, file), join(folder, file));
	const args = ["ci", "--ignore-scripts", "--loglevel=error", "--no-audit", "--no-fund"];
	repeat(3, () => void runTool("npm", args, { cwd: folder, env: npmEnvironment() }));
	return {
		moveInto: (workspace) => {
			const manifest = join(workspace, "package.json");
			const { devDependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
			writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, "utf8")), devDependencies }));
			renameSync(join(folder, "node_modules"), join(workspace, "node_modules"));
		},
		remove: () => rmSync(folder, { recursive: true, force: true }),
	};
}

/** What the documentation tells a user to do about servers from npm. */
export function readDocumentedServers(): {
	/** The packages of its `npm install`. */
	readonly packages: readonly string[];
	/** The text of its `.vscode/mcp.json`. */
	readonly file: string;
	/** Its `vitrine.servers`. */
	readonly settings: Readonly<Record<string, { readonly args: readonly string[] }>>;
} {
	const docs = readFileSync(join(PROJECT, "docs", "using.md"), "utf8");
	const part = docs.slice(docs.indexOf("**Servers from npm.**"), docs.indexOf("**Tools in the editor.**"));
	const [install = "", file = "", settings = ""] = [...part.matchAll(/```\w+\n(.*?)```/gs)].map(
		([, text]) => text ?? "",
	);
	return {
		packages: install.trim().split(" ").slice(3),
		file,
		settings: JSON.parse(`{${settings}}`)["vitrine.servers"],
	};
}
