import { PathSearch } from "./path-search.ts";
import { PathTable } from "./path-table.ts";

/** Paths that can be found by a few of their letters. Folders end with a slash. */
export interface PathIndex {
	/** Indexes a file and its parent folders. */
	readonly add: (file: string) => void;
	/** With an empty query, the best are the first paths of the index. */
	readonly search: (query: string, limit: number) => Search;
}

/** A search through what the index holds when it starts; more may be added before it ends. */
export interface Search {
	/** Looks at so many more paths; true once there are none left. */
	readonly advance: (paths: number) => boolean;
	/** Best first. */
	readonly best: () => readonly string[];
}

export function createPathIndex(): PathIndex {
	const table = new PathTable();
	return {
		add: (file) => table.add(file),
		search: (query, limit) => {
			if (query !== "") return new PathSearch(table, query, limit);
			const first = Array.from({ length: Math.min(limit, table.count) }, (_, row) => table.textOf(row));
			return { advance: () => true, best: () => first };
		},
	};
}
