import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import ignore, { type Ignore } from "ignore";
import { openInside, readInside } from "./read-files.ts";
import type { Readable } from "./readable.ts";
import { findRealPath } from "./real-path.ts";

/** Limit for the entries of one walk. */
const MAX_ENTRIES = 300_000;
const MAX_WALK_MS = 10_000;
/** Limit for nested folders. */
const MAX_DEPTH = 64;
const MAX_IGNORE_BYTES = 200_000;
/** Limits for the rule files that apply to one folder, and for the rules of one file. */
const MAX_RULE_FILES = 16;
const MAX_RULES = 2_000;
const MAX_RULE_CHARS = 1_000;
/**
 * Limits for stars in one part of a rule, and for `**` in one rule; more could make its regular expression run for
 * minutes.
 */
const MAX_STARS = 2;
/** Limit for rules of one file with more than one of either: a crafted name makes each of them slow. */
const MAX_COSTLY_RULES = 50;
/** How long names are processed in one go; then other work, such as Stop, gets its turn. */
const SLICE_MS = 5;

export interface Walk {
	readonly paths: readonly string[];
	readonly cut?: string;
}

interface Rules {
	/** Folder the rules are relative to, with a trailing slash; empty for the top. */
	readonly base: string;
	readonly rules: Ignore;
}

type Failure = { readonly ok: false; readonly reason: string };

/** Files below `folder`, sorted, without .git and files that .gitignore excludes. Links are never followed. */
export async function walkInside(
	folder: string,
	readable: Readable,
	limit: number,
	signal: AbortSignal,
): Promise<Walk | Failure> {
	const paths: string[] = [];
	const walk = await walkEach(folder, readable, { limit, signal, take: (path) => paths.push(path) });
	return "ok" in walk ? walk : { paths, ...walk };
}

/** The same files, each as soon as it is found. */
export async function walkEach(
	folder: string,
	readable: Readable,
	{
		limit,
		signal,
		take,
	}: { readonly limit: number; readonly signal: AbortSignal; readonly take: (path: string) => void },
): Promise<Omit<Walk, "paths"> | Failure> {
	const top = await readFolder(folder, readable);
	if (!("entries" in top)) return top;
	const place = findRealPath(folder).real;
	const deadline = performance.now() + MAX_WALK_MS;
	let taken = 0;
	let seen = 0;
	let pausedAt = performance.now();
	let cut: string | undefined;
	const visit = async (way: string, entries: readonly Dirent[], outer: readonly Rules[]): Promise<void> => {
		const rules = await addRules(folder, way, entries, outer, readable);
		const allOpen = readable.isAllOpen?.(join(place, way)) ?? true;
		for (const entry of entries) {
			if (performance.now() - pausedAt > SLICE_MS) {
				await new Promise(setImmediate);
				pausedAt = performance.now();
			}
			signal.throwIfAborted();
			seen += 1;
			if (taken >= limit) cut ??= `only the first ${limit} are listed`;
			else if (seen > MAX_ENTRIES) cut ??= `the folder has more than ${MAX_ENTRIES} entries`;
			else if (performance.now() > deadline) cut ??= "listing took too long";
			if (cut !== undefined) return;
			const path = `${way}${entry.name}`;
			const isFolder = entry.isDirectory();
			if (entry.name === ".git" || isIgnored(rules, isFolder ? `${path}/` : path)) continue;
			if (!isFolder) {
				if (!allOpen && !isOpenName(join(place, path), entry, readable)) continue;
				taken += 1;
				take(path);
				continue;
			}
			if (path.split("/").length > MAX_DEPTH) continue;
			const below = await readFolder(join(folder, path), readable);
			if ("entries" in below) await visit(`${path}/`, below.entries, rules);
		}
	};
	await visit("", top.entries, []);
	return cut === undefined ? {} : { cut };
}

/** Not even the name of a closed file is revealed, nor that of a link to one. */
function isOpenName(path: string, entry: Dirent, readable: Readable): boolean {
	if (readable.isClosed?.(path)) return false;
	return !entry.isSymbolicLink() || !(readable.isClosed?.(findRealPath(path).real) ?? false);
}

async function readFolder(
	folder: string,
	readable: Readable,
): Promise<{ readonly entries: readonly Dirent[] } | Failure> {
	const opened = await openInside(folder, readable, "folder");
	if (!opened.ok) return opened;
	try {
		// Through the open handle if the kernel supports it, so that the verified folder is the one that is read.
		const place = process.platform === "linux" ? `/proc/self/fd/${opened.handle.fd}` : folder;
		const entries = await readdir(place, { withFileTypes: true });
		return { entries: entries.sort((a, b) => (a.name < b.name ? -1 : 1)) };
	} catch {
		return { ok: false, reason: `${folder} cannot be listed.` };
	} finally {
		await opened.handle.close();
	}
}

async function addRules(
	top: string,
	way: string,
	entries: readonly Dirent[],
	outer: readonly Rules[],
	readable: Readable,
): Promise<readonly Rules[]> {
	if (outer.length >= MAX_RULE_FILES) return outer;
	if (!entries.some((entry) => entry.name === ".gitignore" && entry.isFile())) return outer;
	const file = await readInside(join(top, way, ".gitignore"), readable);
	if (!file.ok || file.text.length > MAX_IGNORE_BYTES) return outer;
	return [...outer, { base: way, rules: ignore().add(filterHarmlessRules(file.text)) }];
}

/** The lines of a .gitignore whose regular expressions are fast for every name; the others are left out. */
function filterHarmlessRules(text: string): readonly string[] {
	let costly = 0;
	return text
		.split("\n", MAX_RULES)
		.filter((line) => line.length <= MAX_RULE_CHARS)
		.filter((line) => {
			const parts = line.trim().split("/");
			const doubled = parts.filter((part) => part === "**").length;
			const stars = Math.max(doubled, ...parts.map((part) => (part === "**" ? 0 : part.split("*").length - 1)));
			if (stars > 1) costly += 1;
			return stars <= 1 || (stars <= MAX_STARS && costly <= MAX_COSTLY_RULES);
		});
}

function isIgnored(all: readonly Rules[], path: string): boolean {
	return all.some(({ base, rules }) => rules.ignores(path.slice(base.length)));
}
