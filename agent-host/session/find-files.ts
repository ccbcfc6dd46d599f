import { basename, join, sep } from "node:path";
import { createPathIndex, type PathIndex } from "../mentions/path-index.ts";
import type { Policy } from "../permissions/policy/policy.ts";
import type { ParsedParamsOf, ResultOf } from "../protocol/method.ts";
import type { fileFind } from "../protocol/thread/mentions.ts";
import { readableUnder } from "../workspace/files/readable.ts";
import { walkInside } from "../workspace/files/walk.ts";

/** Limit for the files of one workspace folder. */
const MAX_FILES = 200_000;
const NAMES_AT_ONCE = 2_000;
/** A list of this age is used once more, while a new one is made. */
const FRESH_MS = 3_000;
/** Listing takes at most a tenth of the time. */
const REST = 10;

/** Where a thread searches for files. */
export interface Scope {
	readonly cwd: string | undefined;
	readonly roots: readonly string[];
	readonly policy: Policy;
}

export type FindFiles = (params: ParsedParamsOf<typeof fileFind>) => Promise<ResultOf<typeof fileFind>>;

interface Listing {
	readonly index: PathIndex;
	/** The folders, with the prefix of their names. */
	readonly places: readonly Place[];
	readonly cut: string | undefined;
	readonly madeAt: number;
	readonly tookMs: number;
}

interface Place {
	/** Empty for the thread's own folder. */
	readonly prefix: string;
	readonly folder: string;
}

/** Finds files by a few letters. Lists nothing before the first query, and answers further ones from memory. */
export function createFindFiles(
	scopeOf: (threadId: ParsedParamsOf<typeof fileFind>["threadId"]) => Promise<Scope>,
	now: () => number,
): FindFiles {
	/** Only the last thread's list is kept, because one list of a large workspace is enough in memory. */
	let held: { readonly key: string; listing: Promise<Listing>; isRenewing: boolean } | undefined;
	const make = async (threadId: ParsedParamsOf<typeof fileFind>["threadId"]): Promise<Listing> => {
		const madeAt = now();
		const listing = await list(await scopeOf(threadId));
		return { ...listing, madeAt: now(), tookMs: now() - madeAt };
	};
	return async ({ threadId, query, limit }) => {
		const key = threadId ?? "";
		if (held?.key !== key) held = { key, listing: make(threadId), isRenewing: false };
		const mine = held;
		// A failed listing is retried by the next query.
		const listing = await mine.listing.catch((error: unknown) => {
			if (held === mine) held = undefined;
			throw error;
		});
		const isOld = now() - listing.madeAt > Math.max(FRESH_MS, REST * listing.tookMs);
		if (isOld && !mine.isRenewing) {
			mine.isRenewing = true;
			const renewed = make(threadId).catch(() => listing);
			void renewed.then(() => {
				mine.listing = renewed;
				mine.isRenewing = false;
			});
		}
		const files = listing.index.find(query, limit).map((name) => toFile(name, listing.places));
		return { files, ...(listing.cut === undefined ? {} : { cut: listing.cut }) };
	};
}

async function list({ cwd, roots, policy }: Scope): Promise<Pick<Listing, "index" | "places" | "cut">> {
	const readable = readableUnder(policy);
	const places = roots.map((folder): Place => ({ prefix: folder === cwd ? "" : `${basename(folder)}/`, folder }));
	const walks = await Promise.all(
		places.map(({ folder }) => walkInside(folder, readable, MAX_FILES, new AbortController().signal)),
	);
	const names = walks.flatMap((walk, index) => {
		const prefix = places[index]?.prefix ?? "";
		return "paths" in walk ? walk.paths.map((path) => prefix + path) : [];
	});
	const cut = walks.map((walk) => ("paths" in walk ? walk.cut : walk.reason)).find((reason) => reason !== undefined);
	return { index: await buildIndex(names), places, cut };
}

/** In pieces, so that a large workspace does not block the host. */
async function buildIndex(names: readonly string[]): Promise<PathIndex> {
	const index = createPathIndex();
	for (let from = 0; from < names.length; from += NAMES_AT_ONCE) {
		index.add(names.slice(from, from + NAMES_AT_ONCE));
		await new Promise(setImmediate);
	}
	return index;
}

function toFile(name: string, places: readonly Place[]): ResultOf<typeof fileFind>["files"][number] {
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
