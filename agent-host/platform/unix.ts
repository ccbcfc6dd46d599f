import { posix } from "node:path";
import type { Platform } from "./port.ts";
import { quoteForBash } from "./quoting.ts";

/** Linux and macOS. */
export const UNIX: Platform = {
	path: posix,
	keyOf: (path) => path,
	withSlashes: (way) => way,
	isInside,
	foldName: (name) => name,
	pathProblem: () => undefined,
	isElsewhere: () => false,
	syncsFolders: true,
	isHeldForAMoment: () => false,
	hasGroups: true,
	endTree: () => [],
	shellArgv: (text, isThere) => [isThere("/bin/bash") ? "/bin/bash" : "/bin/sh", "-c", text],
	withVariables: (command, variables) => {
		const set = Object.entries(variables);
		if (typeof command !== "string") return ["env", ...set.map(([name, value]) => `${name}=${value}`), ...command];
		return `export ${set.map(([name, value]) => `${name}=${quoteForBash(value)}`).join(" ")}; ${command}`;
	},
	programNames: (name) => [name],
	isPlaced: (program) => program.includes("/"),
	// By its name: some programs are one file that looks what it is called.
	start: ({ named }, args) => ({ file: named, args, isQuoted: false }),
	keyOfVariable: (name) => name,
	variables: [],
	defaultPath: () => "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
};

function isInside(path: string, folder: string): boolean {
	// The usual case, many times per command: two absolute paths without dots.
	if (isPlain(path) && (folder === "/" || isPlain(folder)))
		return path.startsWith(folder) && (folder === "/" || path.length === folder.length || path[folder.length] === "/");
	const way = posix.relative(folder, path);
	return way === "" || (way !== ".." && !way.startsWith("../"));
}

/** The same few hundred paths are compared thousands of times per command. */
const plainPaths = new Map<string, boolean>();
const MAX_REMEMBERED = 4_096;

function isPlain(path: string): boolean {
	const known = plainPaths.get(path);
	if (known !== undefined) return known;
	// No empty segment, and no segment that is only dots.
	const isSo = path.startsWith("/") && !/\/\.{0,2}(?:\/|$)/.test(path);
	if (plainPaths.size >= MAX_REMEMBERED) plainPaths.clear();
	plainPaths.set(path, isSo);
	return isSo;
}
