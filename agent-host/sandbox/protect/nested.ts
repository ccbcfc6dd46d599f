import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isProtectedName } from "../../permissions/reach.ts";

/**
 * What makes other programs run code wherever it lies: a repository, which the editor opens as soon as a file next to it is
 * open, and a workspace file. No mount can stand for them, since nobody knows where they will be made.
 */
const HARMFUL_ANYWHERE: readonly string[] = [".git", "*.code-workspace"];

/** Folders looked at, before a command and after it, those nearest to the roots first. What lies deeper is not found. */
export const MAX_FOLDERS = 1_000;
/** Looked at last: large, and rarely anybody's own work. */
const LAST = new Set(["node_modules", "target", ".venv", "venv", "vendor"]);
/** Folders looked at without a break. */
const PIECE = 100;
/** A folder that changed so short a time before it was read may have changed again within the same tick of the clock. */
export const TICK_MS = 50;

export interface Nested {
	/** Repositories and workspace files below these folders, those directly in them left out. */
	readonly find: (roots: readonly string[]) => Promise<ReadonlySet<string>>;
}

interface Listed {
	/** Which folder it was and when it changed last, by a clock that no command can set. */
	readonly stamp: string | undefined;
	readonly folders: readonly string[];
	readonly found: readonly string[];
}

/** Remembers what it saw: a folder that has not changed is not read again. */
export function createNested(): Nested {
	let known: ReadonlyMap<string, Listed> = new Map();
	return {
		find: async (roots) => {
			const seen = new Map<string, Listed>();
			const [queue, later]: [string[], string[]] = [[...roots], []];
			for (let folder = queue.shift(); folder !== undefined; folder = queue.shift() ?? later.shift()) {
				if (seen.has(folder)) continue;
				const listed = look(folder, known.get(folder));
				seen.set(folder, listed);
				for (const name of listed.folders) (LAST.has(name) ? later : queue).push(join(folder, name));
				if (seen.size >= MAX_FOLDERS) break;
				if (seen.size % PIECE === 0) await new Promise(setImmediate);
			}
			known = seen;
			const below = [...seen].filter(([folder]) => !roots.includes(folder));
			return new Set(below.flatMap(([folder, { found }]) => found.map((name) => join(folder, name))));
		},
	};
}

const NOTHING: Listed = { stamp: undefined, folders: [], found: [] };

function look(folder: string, before: Listed | undefined): Listed {
	try {
		const { dev, ino, ctimeMs } = lstatSync(folder);
		const stamp = `${dev}:${ino}:${ctimeMs}`;
		if (before?.stamp === stamp) return before;
		const entries = readdirSync(folder, { withFileTypes: true });
		return { stamp: Date.now() - ctimeMs > TICK_MS ? stamp : undefined, ...sort(entries) };
	} catch {
		// Gone, or closed to whoever runs the host, and so to the editor too.
		return NOTHING;
	}
}

function sort(entries: readonly Dirent[]): Omit<Listed, "stamp"> {
	const isHarmful = ({ name }: Dirent) => isProtectedName(HARMFUL_ANYWHERE, name);
	return {
		folders: entries.filter((entry) => entry.isDirectory() && !isHarmful(entry)).map(({ name }) => name),
		found: entries.filter(isHarmful).map(({ name }) => name),
	};
}
