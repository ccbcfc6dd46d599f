import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as esbuild from "esbuild";
import type { Memento } from "vscode";

const ROOT = join(import.meta.dirname, "../..");
const STUB = "vitrineEditorOfPaper";

/** Loads files of the extension with this as the module `vscode`, which only an editor has. */
export async function loadOverPaper<Module>(files: readonly string[], vscode: object): Promise<Module> {
	const folder = mkdtempSync(join(tmpdir(), "vitrine-paper-"));
	const outfile = join(folder, "loaded.mjs");
	try {
		await esbuild.build({
			absWorkingDir: ROOT,
			stdin: { contents: files.map((file) => `export * from "./${file}";`).join("\n"), resolveDir: ROOT },
			outfile,
			bundle: true,
			platform: "node",
			format: "esm",
			logLevel: "error",
			banner: {
				// Held on to, for what is loaded later.
				js: `import{createRequire}from'node:module';const require=createRequire(import.meta.url),paper=globalThis.${STUB};`,
			},
			plugins: [PAPER],
		});
		Object.assign(globalThis, { [STUB]: vscode });
		return await import(pathToFileURL(outfile).href);
	} finally {
		Reflect.deleteProperty(globalThis, STUB);
		rmSync(folder, { recursive: true, force: true });
	}
}

const PAPER: esbuild.Plugin = {
	name: "paper",
	setup({ onResolve, onLoad }) {
		onResolve({ filter: /^vscode(?:-languageclient\/node)?$/ }, ({ path }) => ({ path, namespace: "paper" }));
		onLoad({ filter: /^vscode$/, namespace: "paper" }, () => ({ contents: "module.exports = paper;" }));
		// Of the language client the extension's views know only what a failed request looks like; a test brings the rest.
		const client = "module.exports = { ResponseError: class extends Error {}, ...paper.languageClient };";
		onLoad({ filter: /languageclient/, namespace: "paper" }, () => ({ contents: client }));
	},
};

/** As the editor's own, without order among its listeners. */
export class PaperEmitter {
	readonly #listeners = new Set<(value: never) => void>();
	readonly event = (listener: (value: never) => void) => {
		this.#listeners.add(listener);
		return { dispose: () => this.#listeners.delete(listener) };
	};
	fire(value: unknown): void {
		for (const listener of this.#listeners) listener(value as never);
	}
	dispose(): void {
		this.#listeners.clear();
	}
}

/** What the editor remembers for an extension. */
export function createMemory() {
	const kept = new Map<string, unknown>();
	return {
		get: <T>(key: string, otherwise?: T) => (kept.has(key) ? (kept.get(key) as T) : otherwise),
		update: async (key: string, value: unknown) => void kept.set(key, value),
	} as Pick<Memento, "get" | "update">;
}
