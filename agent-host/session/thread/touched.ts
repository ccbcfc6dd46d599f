import { join, relative } from "node:path";
import type { Access } from "../../permissions/policy/policy.ts";
import { isInside } from "../../permissions/reach/reach.ts";
import { findRealPath } from "../../workspace/files/real-path.ts";
import { listNestedFolders } from "../../workspace/instructions/load-instructions.ts";

/** Where the calls of a turn have worked. */
export interface Touched {
	readonly note: (access: Access) => void;
	/** The folders below the working folder since the last call, outermost first, each once in a turn. */
	readonly takeFolders: (cwd: string, roots: readonly string[]) => readonly string[];
}

/** Real paths count, so a link leads to no instructions outside the workspace. */
export function createTouched(): Touched {
	const paths = new Set<string>();
	const taken = new Set<string>();
	return {
		note: (access) => {
			for (const path of listPaths(access)) paths.add(path);
		},
		takeFolders: (cwd, roots) => {
			const real = roots.map((root) => ({ root, path: findRealPath(root).real }));
			const seen = [...paths].flatMap((path) => {
				const home = real.find((one) => isInside(path, one.path));
				return home === undefined ? [] : [join(home.root, relative(home.path, path))];
			});
			paths.clear();
			const folders = seen.flatMap((path) => listNestedFolders(path, cwd, roots));
			return folders.filter((folder) => !taken.has(folder) && taken.add(folder));
		},
	};
}

function listPaths(access: Access): readonly string[] {
	switch (access.kind) {
		case "read":
			return [access.resolved];
		case "edit":
			return access.targets.map(({ resolved }) => resolved);
		case "command":
			return [access.cwd];
		case "none":
		case "closedRead":
		case "input":
		case "network":
		case "server":
		case "editorTool":
			return [];
	}
}
