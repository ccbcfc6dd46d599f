import { readlink } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import { PLATFORM } from "../../platform/platform.ts";
import type { SearchMatch, SearchOutcome, SearchRequest } from "../../tools/tool-ports.ts";
import { type OpenText, openTextsBelow } from "./open-text.ts";
import { openInside, readInside } from "./read-files.ts";
import type { Readable } from "./readable.ts";
import { walkInside } from "./walk.ts";

const RIPGREP_LIMITS = { timeoutMs: 20_000, outputBytes: 4_000_000 };
const MAX_LINE_CHARS = 300;
const MAX_FILE_SIZE = "5M";
const MAX_WALKED_FILES = 20_000;
/** Limit for open documents searched separately in one call. */
const MAX_DOCUMENTS = 200;

/** A file or folder that was checked and is held open, and the path that it has in the sandbox. */
export interface HeldPlace {
	readonly path: string;
	readonly handle: number;
}

/** Runs ripgrep in a sandbox where it can only read the given place, whatever its path leads to by then. */
export type RunRipgrep = (
	args: readonly string[],
	input: { readonly place?: HeldPlace; readonly stdin: string },
	limits: typeof RIPGREP_LIMITS,
	signal: AbortSignal,
) => Promise<RipgrepOutcome>;

type RipgrepOutcome =
	| { readonly state: "ended"; readonly exitCode: number | null; readonly stdout: string; readonly stderr: string }
	| { readonly state: "cut"; readonly stdout: string }
	| { readonly state: "refused" };

/** What a search may read. */
export interface SearchAccess {
	readonly readable: Readable;
	/** Whether anything is closed below a folder that may be read. */
	readonly closesBelow: (folder: string) => boolean;
}

/** Finds lines with ripgrep; without it, with a bounded walk for plain text. */
export async function searchInside(
	ripgrep: RunRipgrep | undefined,
	request: SearchRequest,
	access: SearchAccess,
	documents: OpenText,
	signal: AbortSignal,
): Promise<SearchOutcome> {
	const open = await openTextsBelow(request.folder, access.readable, documents, MAX_DOCUMENTS);
	if (ripgrep !== undefined) {
		const opened = await openInside(request.folder, access.readable, "either");
		if (!opened.ok) return opened;
		try {
			const { fd } = opened.handle;
			const place = { path: await readlink(`/proc/self/fd/${fd}`), handle: fd };
			const found = await searchWithRipgrep(ripgrep, { ...request, ...access, place }, open, signal);
			if (found !== undefined) return found;
		} finally {
			await opened.handle.close();
		}
	}
	if (request.regex) {
		return {
			ok: false,
			reason:
				"Regular expressions need ripgrep and a current bubblewrap, which are not both available. Search for plain text.",
		};
	}
	return searchByWalk(request, access.readable, open, signal);
}

async function searchWithRipgrep(
	ripgrep: RunRipgrep,
	/** `place` has the folder's real path, which the sandbox shows. */
	request: SearchRequest & SearchAccess & { readonly place: HeldPlace },
	open: readonly (readonly [string, string])[],
	signal: AbortSignal,
): Promise<SearchOutcome | undefined> {
	const run = (target: string, input: Parameters<RunRipgrep>[1]): Promise<RipgrepOutcome> =>
		ripgrep(ripgrepArgs(request, target), input, RIPGREP_LIMITS, signal);
	const { path: top } = request.place;
	const onDisk = await run(top, { place: request.place, stdin: "" });
	if (onDisk.state === "refused" || !isRipgreps(onDisk)) return undefined;
	if (onDisk.state === "ended" && onDisk.exitCode === 2 && onDisk.stdout === "") {
		return { ok: false, reason: onDisk.stderr.trim() || "The search failed." };
	}
	const openPaths = new Set(open.map(([path]) => path));
	const named = parseMatches(onDisk.stdout, top)
		.filter((match) => !openPaths.has(absolutePath(request.folder, match.path)))
		.filter((match) => request.readable(absolutePath(top, match.path)));
	const matches = request.closesBelow(top) ? await proveMatches(named, request, signal) : named;
	for (const [path, text] of open) {
		const inDocument = await run("-", { stdin: text });
		if (inDocument.state === "refused") continue;
		const shown = wayTo(path, request.folder);
		matches.push(...parseMatches(inDocument.stdout, "").map((match) => ({ ...match, path: shown })));
	}
	return finish(matches, request.limit, onDisk.state === "cut" ? "the search stopped early; narrow it" : undefined);
}

/** 0: found, 1: nothing found, 2: trouble, such as a bad expression. Ripgrep finds nothing without a word, bubblewrap fails with one. */
function isRipgreps(outcome: Exclude<RipgrepOutcome, { readonly state: "refused" }>): boolean {
	if (outcome.state === "cut") return true;
	return [0, 2].includes(outcome.exitCode ?? -1) || (outcome.exitCode === 1 && outcome.stderr === "");
}

/**
 * Ripgrep finds its way by names, and a command may lead a folder to a closed one meanwhile. So a line counts only if
 * the file, opened and verified again, holds it there.
 */
async function proveMatches(
	matches: readonly SearchMatch[],
	{ place, readable, limit }: SearchAccess & Pick<SearchRequest, "limit"> & { readonly place: HeldPlace },
	signal: AbortSignal,
): Promise<SearchMatch[]> {
	const proved: SearchMatch[] = [];
	let [last, lines]: [string | undefined, readonly string[]] = [undefined, []];
	for (const match of matches.toSorted(compareMatches)) {
		signal.throwIfAborted();
		// One more than asked for, so that it is said that there are more.
		if (proved.length > limit) break;
		if (match.path !== last) {
			last = match.path;
			lines = (await readText(absolutePath(place.path, match.path), readable))?.split("\n") ?? [];
		}
		const line = shorten(lines[match.line - 1] ?? "");
		const isSame = line === match.text || (line.length > MAX_LINE_CHARS && isSameStart(line, match.text));
		if (isSame) proved.push(match);
	}
	return proved;
}

/** Of a very long line ripgrep tells only the beginning, which is shorter in letters than in bytes. */
function isSameStart(line: string, told: string): boolean {
	return line.slice(0, SURE_CHARS) === told.slice(0, SURE_CHARS);
}

const SURE_CHARS = 140;

function compareMatches(a: SearchMatch, b: SearchMatch): number {
	return a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1;
}

function ripgrepArgs(request: SearchRequest, target: string): readonly string[] {
	return [
		"--no-config",
		"--color=never",
		"--no-heading",
		"--with-filename",
		"--line-number",
		"--null",
		"--smart-case",
		"--no-require-git",
		"--max-columns=600",
		"--max-columns-preview",
		`--max-filesize=${MAX_FILE_SIZE}`,
		`--max-count=${request.limit}`,
		...(request.regex ? [] : ["--fixed-strings"]),
		"-e",
		request.pattern,
		"--",
		target,
	];
}

function parseMatches(stdout: string, place: string): SearchMatch[] {
	return stdout.split("\n").flatMap((row) => {
		const parts = /^([^\0]+)\0(\d+):(.*)$/s.exec(row);
		if (parts === null) return [];
		const [, path = "", line = "", text = ""] = parts;
		return [{ path: wayTo(path, place), line: Number(line), text: shorten(text) }];
	});
}

async function searchByWalk(
	request: SearchRequest,
	readable: Readable,
	open: readonly (readonly [string, string])[],
	signal: AbortSignal,
): Promise<SearchOutcome> {
	const walk = await walkInside(request.folder, readable, MAX_WALKED_FILES, signal);
	if ("ok" in walk) return walk;
	const documents = new Map(open.map(([path, text]) => [wayTo(path, request.folder), text]));
	const matches: SearchMatch[] = [];
	for (const path of new Set([...walk.paths, ...documents.keys()])) {
		signal.throwIfAborted();
		if (matches.length > request.limit) break;
		const text = documents.get(path) ?? (await readText(absolutePath(request.folder, path), readable));
		if (text !== undefined) matches.push(...matchLines(path, text, request));
	}
	return finish(matches, request.limit, walk.cut);
}

/** As the walk and the model name a file. */
function wayTo(path: string, folder: string): string {
	return PLATFORM.withSlashes(relative(folder, path));
}

async function readText(path: string, readable: Readable): Promise<string | undefined> {
	const file = await readInside(path, readable);
	return file.ok ? file.text : undefined;
}

function matchLines(path: string, text: string, { pattern, limit }: SearchRequest): readonly SearchMatch[] {
	const anyCase = pattern === pattern.toLowerCase();
	const holds = (line: string) => (anyCase ? line.toLowerCase() : line).includes(pattern);
	return text
		.split("\n")
		.flatMap((line, index) => (holds(line) ? [{ path, line: index + 1, text: shorten(line) }] : []))
		.slice(0, limit + 1);
}

function finish(matches: readonly SearchMatch[], limit: number, cut: string | undefined): SearchOutcome {
	const sorted = [...matches].sort(compareMatches);
	const why = cut ?? (sorted.length > limit ? `only the first ${limit} lines are shown` : undefined);
	return { ok: true, matches: sorted.slice(0, limit), ...(why === undefined ? {} : { cut: why }) };
}

function absolutePath(folder: string, path: string): string {
	return isAbsolute(path) ? path : join(folder, path);
}

function shorten(text: string): string {
	const line = text.trimEnd();
	return line.length <= MAX_LINE_CHARS ? line : `${line.slice(0, MAX_LINE_CHARS)} …`;
}
