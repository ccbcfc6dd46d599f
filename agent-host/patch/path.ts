import { resolve } from "node:path";
import { PLATFORM } from "../platform/platform.ts";

const MAX_PATH_BYTES = 4_095;
const MAX_NAME_BYTES = 255;

/** Why a path of a patch is refused before any lookup: it does not read as a file below the working folder. */
export function findPathProblem(path: string): string | undefined {
	const isWindows = process.platform === "win32";
	if (path === "" || path.trim() !== path) return "it is empty or has space around it";
	if (hasControls(path)) return "it contains a control character";
	if (byteLength(path) > MAX_PATH_BYTES) return `it is longer than ${MAX_PATH_BYTES} bytes`;
	if (/^[A-Za-z][A-Za-z0-9+.-]+:\/\//.test(path)) return "it is a URL; use a plain path";
	if (path === "~" || path.startsWith("~/")) return "~ is not expanded; use the full path";
	if (!isWindows && /^[A-Za-z]:[\\/]/.test(path)) return "it has a drive letter";
	if (path.startsWith("\\\\") || path.startsWith("//")) return "it is a network path";
	if (!isWindows && path.includes("\\")) return "it contains a backslash; use / as the separator";
	if (/[\\/]\.?$/.test(path)) return "it is a folder";
	const names = path.split(isWindows ? /[\\/]/ : "/");
	if (names.some((name) => byteLength(name) > MAX_NAME_BYTES))
		return `a name in it is longer than ${MAX_NAME_BYTES} bytes`;
	return PLATFORM.pathProblem(path);
}

export function resolvePath(cwd: string, path: string): string {
	return resolve(cwd, path);
}

/** Equal for paths that some file system treats as the same. */
export function foldPath(path: string): string {
	return path.replaceAll("\\", "/").normalize("NFC").toUpperCase().toLowerCase();
}

function hasControls(path: string): boolean {
	return [...path].some((character) => character < " " || character === "\u007F");
}

function byteLength(text: string): number {
	return new TextEncoder().encode(text).length;
}
