import { foldPath } from "./path.ts";

/** A path that an operation of the patch would change. */
export interface Named {
	readonly path: string;
	readonly operation: string;
	readonly resolved: string;
	readonly identity: string | undefined;
}

/** Finds two paths of one patch that mean the same file, or of which one is a parent folder of the other. */
export function findConflict(names: readonly Named[]): { readonly path: string; readonly reason: string } | undefined {
	const seen = new Map<string, Named>();
	for (const name of names) {
		const keys = [foldPath(name.resolved), ...(name.identity === undefined ? [] : [name.identity])];
		const other = keys.map((key) => seen.get(key)).find((one) => one !== undefined);
		if (other !== undefined) return { path: name.path, reason: describe(other, name) };
		for (const key of keys) seen.set(key, name);
	}
	return folderAmong(names);
}

/** After sorting, a folder comes directly before the first file in it. */
function folderAmong(names: readonly Named[]): { readonly path: string; readonly reason: string } | undefined {
	const keyed = names.map((name) => ({ ...name, below: `${foldPath(name.resolved)}/` }));
	const sorted = keyed.toSorted((a, b) => (a.below < b.below ? -1 : 1));
	for (const [index, { path, below }] of sorted.entries()) {
		const next = sorted[index + 1];
		if (next?.below.startsWith(below))
			return { path: next.path, reason: `${path} cannot be a file and the folder of ${next.path}.` };
	}
	return undefined;
}

function describe(first: Named, second: Named): string {
	if (first.path === second.path)
		return `${first.path} appears twice in the patch (${first.operation}, ${second.operation}); put all its changes in one operation.`;
	return `${first.path} and ${second.path} are the same file (${first.operation}, ${second.operation}); a patch can change a file only once.`;
}
