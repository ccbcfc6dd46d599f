import { win32 } from "node:path";

/** Equal for all ways to write a place: case, slashes, dots and spaces at the end of a name, a stream of a file. */
export function foldWindowsPath(path: string): string {
	const plain = win32.normalize(unprefixed(path));
	const [, root = "", rest = ""] = /^([A-Za-z]:|\\\\[^\\]+\\[^\\]+)?(.*)$/s.exec(plain) ?? [];
	const names = rest.split("\\").filter((name) => name !== "");
	return [upper(root), ...names.map(foldWindowsName)].join("\\");
}

/** A root of `/` holds every drive, but no other machine's folders and no devices. */
export function isInsideOnWindows(path: string, folder: string): boolean {
	if (folder === "/" || folder === "\\") return isOnDrive(path);
	const [below, above] = [foldWindowsPath(path), foldWindowsPath(folder)];
	return below === above || below.startsWith(`${above}\\`);
}

function isOnDrive(path: string): boolean {
	return path === "/" || path === "\\" || /^(?:\\\\\?\\)?[A-Za-z]:(?:[\\/]|$)/.test(path);
}

/** As the file system compares names: `.GIT`, `.git.` and `.git::$INDEX_ALLOCATION` are `.git`. */
export function foldWindowsName(name: string): string {
	const [file = ""] = name.split(":");
	const folded = upper(trimEnd(file));
	return folded === "" ? upper(name) : folded;
}

/** Without the spaces and dots at the end, which the file system ignores. */
function trimEnd(name: string): string {
	let end = name.length;
	while (end > 0 && (name[end - 1] === " " || name[end - 1] === ".")) end -= 1;
	return name.slice(0, end);
}

/** One character at a time, as NTFS does: ß has no other case there. */
function upper(text: string): string {
	const characters = Array.from(text, (one) => (one.toUpperCase().length === one.length ? one.toUpperCase() : one));
	return characters.join("");
}

/** Why a path names no file of a folder: the name means a device, or something else than it says. */
export function windowsPathProblem(path: string): string | undefined {
	const plain = unprefixed(path);
	if (/^[A-Za-z]:(?!\\)/.test(plain)) return "it is relative to a drive; use the full path";
	const names = plain.replace(/^[A-Za-z]:/, "").split("\\");
	return names.some(isReserved) ? "it contains a name that is reserved on Windows" : undefined;
}

export function isOtherMachine(path: string): boolean {
	return unprefixed(path).startsWith("\\\\");
}

/** Without the prefix for long paths, which Node adds where it is needed. */
function unprefixed(path: string): string {
	return path.replaceAll("/", "\\").replace(/^\\\\\?\\(?=[A-Za-z]:)/, "");
}

function isReserved(name: string): boolean {
	return (
		/[<>:"|?*]/.test(name) ||
		/[ .]$/.test(name.replace(/^\.\.?$/, "")) ||
		/^(?:con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³])(?: *\.| *$)/i.test(name)
	);
}
