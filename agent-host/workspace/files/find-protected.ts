import { join } from "node:path";
import { isProtectedName } from "../../permissions/reach/reach.ts";
import { visitEntries } from "./visit-entries.ts";

/** Everything directly below these roots that has a protected name, ignoring case. */
export async function findProtected(roots: readonly string[], names: readonly string[]): Promise<readonly string[]> {
	if (names.length === 0) return [];
	const found: string[] = [];
	for (const root of roots) {
		await visitEntries(root, ({ name }) => {
			if (isProtectedName(names, name)) found.push(join(root, name));
		});
	}
	return found;
}
