import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

export interface BundleFigures {
	/** What Node reads before the host does anything. */
	readonly atStart: { readonly files: readonly string[]; readonly bytes: number };
	/** Chunks that are loaded when they are needed. */
	readonly later: readonly { readonly file: string; readonly bytes: number }[];
}

/** Follows the chunks of a built program: some are loaded at its start, the rest when they are first needed. */
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
	const program = "host-program.cjs";
	// An editor's host reads the chunks of its surface from one file.
	const serving = "host-serving.cjs";
	const together = [...readFileSync(join(folder, serving), "utf8").matchAll(/^"([^"]+)": \(function/gm)].map(
		([, file = ""]) => file,
	);
	const atStart = new Set([name, serving]);
	const all = reach([name, program], (text) => [...requiresAtOnce(text), ...laterRequires(text)]);
	const sizeOf = (file: string) => statSync(join(folder, file)).size;
	return {
		atStart: { files: [...atStart], bytes: [...atStart].reduce((sum, file) => sum + sizeOf(file), 0) },
		later: [...all]
			.filter((file) => !atStart.has(file) && !together.includes(file))
			.map((file) => ({ file, bytes: sizeOf(file) })),
	};
}

/** Size of the packed extension beside the bundle, where one was packed. */
export function measurePackage(entry: string): { readonly name: string; readonly bytes: number } | undefined {
	const folder = dirname(entry);
	const name = readdirSync(folder).find((file) => file.endsWith(".vsix"));
	return name === undefined ? undefined : { name, bytes: statSync(join(folder, name)).size };
}

function requiresAtOnce(text: string): readonly string[] {
	const later = new Set(laterRequires(text));
	return [...text.matchAll(/\brequire\("\.\/([^"]+)"\)/g)]
		.map((match) => match[1] ?? "")
		.filter((file) => !later.has(file));
}

/** What an `import()` has become. */
function laterRequires(text: string): readonly string[] {
	return [...text.matchAll(/\.then\(\(\) ?=> ?\w+\(require\("\.\/([^"]+)"\)\)\)/g)].map((match) => match[1] ?? "");
}
