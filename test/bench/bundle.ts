import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

export interface BundleFigures {
	/** What Node reads before the host does anything. */
	readonly atStart: { readonly files: readonly string[]; readonly bytes: number };
	/** Chunks that only a dynamic import reaches. */
	readonly later: readonly { readonly file: string; readonly bytes: number }[];
}

/** Follows the imports of a built entry: static ones load at start, the rest when they are first needed. */
export function measureBundle(entry: string): BundleFigures {
	const folder = dirname(entry);
	const reach = (from: readonly string[], find: (text: string) => readonly string[]): ReadonlySet<string> => {
		const seen = new Set<string>();
		const visit = (file: string): void => {
			if (seen.has(file)) return;
			seen.add(file);
			for (const next of find(readFileSync(join(folder, file), "utf8"))) visit(next);
		};
		for (const file of from) visit(file);
		return seen;
	};
	const name = entry.slice(folder.length + 1);
	// The entry picks the editor's surface by a dynamic import; an editor's host has it from the start.
	const surface = dynamicImports(readFileSync(entry, "utf8")).filter((file) => file.includes("-serve-"));
	const atStart = reach([name, ...surface], staticImports);
	const all = reach([...atStart], (text) => [...staticImports(text), ...dynamicImports(text)]);
	const sizeOf = (file: string) => statSync(join(folder, file)).size;
	return {
		atStart: { files: [...atStart], bytes: [...atStart].reduce((sum, file) => sum + sizeOf(file), 0) },
		later: [...all].filter((file) => !atStart.has(file)).map((file) => ({ file, bytes: sizeOf(file) })),
	};
}

/** Size of the packed extension beside the bundle, where one was packed. */
export function measurePackage(entry: string): { readonly name: string; readonly bytes: number } | undefined {
	const folder = dirname(entry);
	const name = readdirSync(folder).find((file) => file.endsWith(".vsix"));
	return name === undefined ? undefined : { name, bytes: statSync(join(folder, name)).size };
}

function staticImports(text: string): readonly string[] {
	return [...text.matchAll(/\b(?:from|import) ?"\.\/([^"]+)"/g)].map((match) => match[1] ?? "");
}

function dynamicImports(text: string): readonly string[] {
	return [...text.matchAll(/\bimport\("\.\/([^"]+)"\)/g)].map((match) => match[1] ?? "");
}
