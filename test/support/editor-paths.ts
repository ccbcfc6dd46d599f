import { mkdirSync } from "node:fs";
import { join } from "node:path";

export const PROJECT = join(import.meta.dirname, "..", "..");

/** Folder of the VS Code under test, with a package.json and a lock file of its own. */
export const EDITOR_HOME = join(PROJECT, "test", "editor", "vscode");

const modules = join(EDITOR_HOME, "node_modules");

/** The Node that code-server asks for; its package also holds the headers that native modules are built with. */
export const EDITOR_NODE_HOME = join(modules, `node-linux-${process.arch}`);
export const EDITOR_NODE = join(EDITOR_NODE_HOME, "bin", "node");
export const CODE_SERVER = join(modules, "code-server");
/** The extensions that come with the editor. */
export const EDITOR_EXTENSIONS = join(CODE_SERVER, "lib", "vscode", "extensions");

/** Where a picture that a page of docs shows is taken: there with VITRINE_PICTURES set, else beside the other pictures. */
export function shownPictureFile(name: string): string {
	const isKept = process.env.VITRINE_PICTURES !== undefined;
	return isKept ? join(PROJECT, "docs", "pictures", `${name.replaceAll(" ", "-")}.png`) : pictureFile(name);
}

/** Where a picture of the editor with this name belongs. */
export function pictureFile(name: string): string {
	const folder = join(PROJECT, "test", "editor", "pictures");
	mkdirSync(folder, { recursive: true });
	return join(folder, `${name.replaceAll(/\W+/g, "-")}.png`);
}
