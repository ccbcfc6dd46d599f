import { isAbsolute, join, relative } from "node:path";
import { PLATFORM } from "../../platform/platform.ts";
import type { SearchMatch, SearchOutcome, SearchRequest } from "../../tools/tool-ports.ts";
import { type OpenText, openTextsBelow } from "./open-text.ts";
import { readInside, resolveInside } from "./read-files.ts";
import type { Readable } from "./readable.ts";
import { walkInside } from "./walk.ts";

const RIPGREP_LIMITS = { timeoutMs: 20_000, outputBytes: 4_000_000 };
const MAX_LINE_CHARS = 300;
const MAX_FILE_SIZE = "5M";
const MAX_WALKED_FILES = 20_000;
/** Limit for open documents searched separately in one call. */
const MAX_DOCUMENTS = 200;

/** Runs ripgrep in a sandbox where it can only read the given places. */
export type RunRipgrep = (
	args: readonly string[],
	input: { readonly readable: readonly string[]; readonly stdin: string },
	limits: typeof RIPGREP_LIMITS,
	signal: AbortSignal,
) => Promise<RipgrepOutcome>;

type RipgrepOutcome =
	| { readonly state: "ended"; readonly exitCode: number | null; readonly stdout: string; readonly stderr: string }
	| { readonly state: "cut"; readonly stdout: string }
	| { readonly state: "refused" };

/** Finds lines with ripgrep; without it, with a bounded walk for plain text. */
export async function searchInside(
	ripgrep: RunRipgrep | undefined,
	request: SearchRequest,
	readable: Readable,
	documents: OpenText,
	signal: AbortSignal,
): Promise<SearchOutcome> {
	const open = await openTextsBelow(request.folder, readable, documents, MAX_DOCUMENTS);
	if (ripgrep !== undefined) {
		const place = await resolveInside(request.folder, readable);
		if (!place.ok) return place;
		const found = await searchWithRipgrep(ripgrep, { ...request, place: place.real, readable }, open, signal);
		if (found !== undefined) return found;
	}
	if (request.regex) {
		return {
			ok: false,
			reason: "Regular expressions need ripgrep and bubblewrap, which are not both available. Search for plain text.",
		};
	}
	return searchByWalk(request, readable, open, signal);
}

async function searchWithRipgrep(
	ripgrep: RunRipgrep,
	/** `place` is the folder's real path, which the sandbox shows. */
	request: SearchRequest & { readonly place: string; readonly readable: Readable },
	open: readonly (readonly [string, string])[],
	signal: AbortSignal,
): Promise<SearchOutcome | undefined> {
	const run = (target: string, readable: readonly string[], stdin: string): Promise<RipgrepOutcome> =>
		ripgrep(ripgrepArgs(request, target), { readable, stdin }, RIPGREP_LIMITS, signal);
	const onDisk = await run(request.place, [request.place], "");
	if (onDisk.state === "refused") return undefined;
	// 0: found, 1: nothing found, 2: trouble, such as a bad expression; anything else does not come from ripgrep.
	if (onDisk.state === "ended" && onDisk.exitCode === 2 && onDisk.stdout === "") {
		return { ok: false, reason: onDisk.stderr.trim() || "The search failed." };
	}
	if (onDisk.state === "ended" && ![0, 1, 2].includes(onDisk.exitCode ?? -1)) return undefined;
	const openPaths = new Set(open.map(([path]) => path));
	const matches = parseMatches(onDisk.stdout, request.place)
		.filter((match) => !openPaths.has(absolutePath(request.folder, match.path)))
		.filter((match) => request.readable(absolutePath(request.place, match.path)));
	for (const [path, text] of open) {
		const inDocument = await run("-", [], text);
		if (inDocument.state === "refused") continue;
		const shown = wayTo(path, request.folder);
		matches.push(...parseMatches(inDocument.stdout, "").map((match) => ({ ...match, path: shown })));
	}
	return finish(matches, request.limit, onDisk.state === "cut" ? "the search stopped early; narrow it" : undefined);
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
	const sorted = [...matches].sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
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
