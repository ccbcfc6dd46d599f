import { basename, join, sep } from "node:path";
import { createPathIndex, type Search } from "../mentions/path-index.ts";
import type { Policy } from "../permissions/policy/policy.ts";
import type { ResultOf } from "../protocol/method.ts";
import { asMessage, type HostText, say } from "../protocol/say.ts";
import type { fileFind } from "../protocol/thread/mentions.ts";
import { readableUnder } from "../workspace/files/readable.ts";
import { walkEach } from "../workspace/files/walk.ts";

/** Limit for the files of one workspace folder. */
const MAX_FILES = 200_000;
/** How long paths are compared in one go; then other work, such as a streaming answer, gets its turn. */
const SLICE_MS = 8;
const PATHS_AT_ONCE = 2_000;

/** Where a thread searches for files. */
export interface Scope {
	readonly cwd: string | undefined;
	readonly roots: readonly string[];
	readonly policy: Policy;
}

type FoundFile = ResultOf<typeof fileFind>["files"][number];

/** The files that may be mentioned, searched while they are still being listed. */
export interface Listing {
	readonly state: () => {
		/** When every file was listed, and how long that took; absent before. */
		readonly whole: { readonly at: number; readonly tookMs: number } | undefined;
		/** Why not every file is listed. */
		readonly cut: HostText | undefined;
	};
	/** Ends once every file is listed; fails if listing does. */
	readonly listed: Promise<void>;
	readonly find: (query: string, limit: number) => Promise<FoundFile[]>;
}

interface Place {
	/** Empty for the thread's own folder. */
	readonly prefix: string;
	readonly folder: string;
}

/** Lists one folder after the other, so that their order stays the same. */
export function listPlaces({ cwd, roots, policy }: Scope, now: () => number, limit = MAX_FILES): Listing {
	const from = now();
	const readable = readableUnder(policy);
	const places = roots.map((folder): Place => ({ prefix: folder === cwd ? "" : `${basename(folder)}/`, folder }));
	const index = createPathIndex();
	let whole: ReturnType<Listing["state"]>["whole"];
	let count = 0;
	let cut: HostText | undefined;
	const walkAll = async (): Promise<void> => {
		const { signal } = new AbortController();
		let isTooLarge = false;
		for (const { folder, prefix } of places) {
			const take = (path: string): void => {
				count += 1;
				index.add(prefix + path);
			};
			const walk = await walkEach(folder, readable, { limit, signal, take });
			if ("ok" in walk) cut ??= asMessage(say("folder-not-listed", { folder }));
			else if (walk.cut !== undefined) isTooLarge = true;
		}
		if (isTooLarge) cut = asMessage(say("files-listed-in-part", { count }));
		whole = { at: now(), tookMs: now() - from };
	};
	const listed = walkAll();
	// A query that waits for it gets the error.
	listed.catch(() => undefined);
	return {
		state: () => ({ whole, cut }),
		listed,
		find: async (query, limit) =>
			(await searchInSlices(index.search(query, limit))).map((name) => toFile(name, places)),
	};
}

async function searchInSlices(search: Search): Promise<readonly string[]> {
	let since = performance.now();
	while (!search.advance(PATHS_AT_ONCE)) {
		if (performance.now() - since < SLICE_MS) continue;
		await new Promise(setImmediate);
		since = performance.now();
	}
	return search.best();
}

function toFile(name: string, places: readonly Place[]): FoundFile {
	// A folder of the thread may have the name of another workspace folder; the longest prefix is the more likely one.
	const ordered = places.toSorted((a, b) => b.prefix.length - a.prefix.length);
	const place = ordered.find(({ prefix }) => name.startsWith(prefix));
	const rest = name.slice(place?.prefix.length ?? 0).replace(/\/$/, "");
	return {
		name,
		path: join(place?.folder ?? sep, rest),
		kind: name.endsWith("/") ? "folder" : "file",
	};
}
