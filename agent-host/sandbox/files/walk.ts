import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import ignore, { type Ignore } from "ignore";
import { openInside, readInside } from "./files.ts";
import type { Readable } from "./readable.ts";

/** Entries looked at in one walk. */
const MAX_ENTRIES = 300_000;
const MAX_WALK_MS = 10_000;
/** Folders below folders. */
const MAX_DEPTH = 64;
const MAX_IGNORE_BYTES = 200_000;
/** Stars in one part of a .gitignore line; more could make its regular expression run for minutes. */
const MAX_STARS = 3;

export interface Walk {
	readonly paths: readonly string[];
	readonly cut?: string;
}

interface Rules {
	/** Folder the rules are relative to, with a slash at its end; empty for the top. */
	readonly base: string;
	readonly rules: Ignore;
}

/** Files below `folder`, sorted, without .git and what .gitignore files exclude. Links are never followed. */
export async function walkInside(
	folder: string,
	readable: Readable,
	limit: number,
	signal: AbortSignal,
): Promise<Walk | { readonly ok: false; readonly reason: string }> {
	const top = await readFolder(folder, readable);
	if (!("entries" in top)) return top;
	const deadline = performance.now() + MAX_WALK_MS;
	const paths: string[] = [];
	let seen = 0;
	let cut: string | undefined;
	const visit = async (way: string, entries: readonly Dirent[], outer: readonly Rules[]): Promise<void> => {
		const rules = await withRulesOf(folder, way, entries, outer, readable);
		for (const entry of entries) {
			signal.throwIfAborted();
			seen += 1;
			if (paths.length >= limit) cut ??= `only the first ${limit} are listed`;
			else if (seen > MAX_ENTRIES) cut ??= `the folder has more than ${MAX_ENTRIES} entries`;
			else if (performance.now() > deadline) cut ??= "listing took too long";
			if (cut !== undefined) return;
			const path = `${way}${entry.name}`;
			const isFolder = entry.isDirectory();
			if (entry.name === ".git" || isIgnored(rules, isFolder ? `${path}/` : path)) continue;
			if (!isFolder) {
				paths.push(path);
				continue;
			}
			if (path.split("/").length > MAX_DEPTH) continue;
			const below = await readFolder(join(folder, path), readable);
			if ("entries" in below) await visit(`${path}/`, below.entries, rules);
		}
	};
	await visit("", top.entries, []);
	return cut === undefined ? { paths } : { paths, cut };
}

async function readFolder(
	folder: string,
	readable: Readable,
): Promise<{ readonly entries: readonly Dirent[] } | { readonly ok: false; readonly reason: string }> {
	const opened = await openInside(folder, readable, "folder");
	if (!opened.ok) return opened;
	try {
		// Through the open handle where the kernel offers it, so that what was proved is what is read.
		const place = process.platform === "linux" ? `/proc/self/fd/${opened.handle.fd}` : folder;
		const entries = await readdir(place, { withFileTypes: true });
		return { entries: entries.sort((a, b) => (a.name < b.name ? -1 : 1)) };
	} catch {
		return { ok: false, reason: `${folder} cannot be listed.` };
	} finally {
		await opened.handle.close();
	}
}

async function withRulesOf(
	top: string,
	way: string,
	entries: readonly Dirent[],
	outer: readonly Rules[],
	readable: Readable,
): Promise<readonly Rules[]> {
	if (!entries.some((entry) => entry.name === ".gitignore" && entry.isFile())) return outer;
	const file = await readInside(join(top, way, ".gitignore"), readable);
	if (!file.ok || file.text.length > MAX_IGNORE_BYTES) return outer;
	const lines = file.text.split("\n").filter(isHarmless);
	return [...outer, { base: way, rules: ignore().add(lines) }];
}

function isHarmless(line: string): boolean {
	return line.split("/").every((part) => part === "**" || part.split("*").length - 1 <= MAX_STARS);
}

function isIgnored(all: readonly Rules[], path: string): boolean {
	return all.some(({ base, rules }) => rules.ignores(path.slice(base.length)));
}
