import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isProtectedName } from "../../permissions/reach/reach.ts";

/** Everything directly below these roots that has a protected name, ignoring case. */
export function findProtected(roots: readonly string[], names: readonly string[]): readonly string[] {
	if (names.length === 0) return [];
	return roots.flatMap((root) =>
		namesIn(root)
			.filter((name) => isProtectedName(names, name))
			.map((name) => join(root, name)),
	);
}

function namesIn(folder: string): readonly string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}
