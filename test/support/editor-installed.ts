import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EditorPlaces } from "./editor-places.ts";
import { installExtension } from "./editor-server.ts";

/** Folders with one extension each, by the package that was installed there. */
const installed = new Map<string, Promise<string>>();

/** Installs a packed extension where no other is. The editor does it once a process, as it takes two seconds of a processor. */
export async function installAlone(places: EditorPlaces, vsix: string): Promise<void> {
	const first = installed.get(vsix) ?? installFirst(vsix);
	installed.set(vsix, first);
	const source = await first;
	cpSync(source, places.extensions, { recursive: true });
	// The list of what is installed names whole paths.
	const list = join(places.extensions, "extensions.json");
	writeFileSync(list, readFileSync(list, "utf8").replaceAll(source, places.extensions));
}

async function installFirst(vsix: string): Promise<string> {
	const root = mkdtempSync(join(tmpdir(), "vitrine-installed-"));
	process.once("exit", () => rmSync(root, { recursive: true, force: true }));
	const extensions = join(root, "extensions");
	const places = { runtime: root, home: join(root, "home"), userData: join(root, "data"), extensions };
	await installExtension(places, vsix);
	return extensions;
}
