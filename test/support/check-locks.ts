import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "./editor-paths.ts";

interface LockedPackage {
	readonly optionalDependencies?: Readonly<Record<string, string>>;
	readonly resolved?: string;
}
interface LockFile {
	readonly packages: Readonly<Record<string, LockedPackage>>;
}

const LOCK_FILES = [
	"package-lock.json",
	"test/editor/npm-servers/package-lock.json",
	"test/editor/vscode/package-lock.json",
	"test/editor/vscode/locks/code/package-lock.json",
	"test/editor/vscode/locks/extensions/package-lock.json",
];

/**
 * What would make `npm ci` fail elsewhere: npm drops the packages of other platforms from a lock file when they
 * were not installed, and an address ties the file to one registry.
 */
export function checkLocks(): readonly string[] {
	return LOCK_FILES.flatMap((file) => {
		// Written by npm, and read only for the two fields above.
		const lock = JSON.parse(readFileSync(join(PROJECT, file), "utf8")) as LockFile;
		return checkLock(lock).map((problem) => `${file}: ${problem}`);
	});
}

function checkLock({ packages }: LockFile): readonly string[] {
	return Object.entries(packages).flatMap(([path, entry]) => [
		...Object.keys(entry.optionalDependencies ?? {})
			.filter((name) => !isLocked(packages, path, name))
			.map((name) => `${name}, which ${path || "the project"} may need on another platform, is missing`),
		...(entry.resolved === undefined ? [] : [`${path} names the registry it came from`]),
	]);
}

/** Looks where Node would: beside the dependent's own packages, then folder by folder upwards. */
function isLocked(packages: LockFile["packages"], dependent: string, name: string): boolean {
	for (let folder = dependent; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("node_modules/") - 1))) {
		if (Object.hasOwn(packages, folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`)) return true;
		if (folder === "") return false;
	}
}
