import { accessSync, constants, readFileSync, realpathSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { isInside } from "../../permissions/reach/reach.ts";
import { isMissing } from "../../workspace/files/is-missing.ts";
import { bundledSlot, readSlot, type Slot } from "./bundled.ts";
import { detectWsl } from "./wsl.ts";

/** The system's program folders, for a host that was started without a PATH. */
const SYSTEM_PATH = "/usr/bin:/usr/local/bin:/bin";

export type FoundBwrap =
	/** `isBundled`: the one in the package, whose hash was checked. */
	| { readonly state: "found"; readonly file: string; readonly isBundled: boolean }
	| { readonly state: "missing" }
	/** There is none on the PATH, and the one in the package differs from the packed one. */
	| { readonly state: "changed"; readonly file: string };

/**
 * Bubblewrap, all links resolved: the first on the PATH outside folders that commands can write to, otherwise the one
 * shipped with the extension. A root of `/` says nothing about where a program came from.
 */
export async function findBwrap(
	path: string | undefined,
	writable: readonly string[],
	slot: Slot | undefined,
): Promise<FoundBwrap> {
	if (process.platform !== "linux") return { state: "missing" };
	for (const place of (path ?? SYSTEM_PATH).split(delimiter).filter(isAbsolute)) {
		const named = join(place, "bwrap");
		const file = isMissing(named) ? undefined : resolveLinks(named);
		const isPlanted = file === undefined || writable.some((root) => root !== "/" && isInside(file, root));
		if (!isPlanted && (await firstExecutable([file])) !== undefined) return { state: "found", file, isBundled: false };
	}
	const bundled = await readSlot(slot);
	switch (bundled.state) {
		case "empty":
			return { state: "missing" };
		case "changed":
			return bundled;
		case "filled":
			return { state: "found", file: bundled.file, isBundled: true };
	}
}

/** Bubblewrap, as far as it can be found without starting anything. */
export async function locateBwrap(path: string | undefined, writable: readonly string[]): Promise<string | undefined> {
	if (process.platform !== "linux" || isOnWsl1()) return undefined;
	const found = await findBwrap(path, writable, bundledSlot());
	return found.state === "found" ? found.file : undefined;
}

/** Bubblewrap is not even started on WSL 1, where it could not contain anything. */
export function isOnWsl1(): boolean {
	onWsl1 ??= process.platform === "linux" && detectWsl(readFileSync("/proc/version", "utf8")) === "wsl1";
	return onWsl1;
}

/** The kernel stays the same while the host runs. */
let onWsl1: boolean | undefined;

/** The program that starts another one in an existing network; only from folders that only root can write to. */
export async function locateNsenter(): Promise<string | undefined> {
	return firstExecutable(["/usr/bin/nsenter", "/bin/nsenter"]);
}

export async function firstExecutable(candidates: readonly string[]): Promise<string | undefined> {
	for (const candidate of candidates) {
		if (isExecutable(candidate)) return candidate;
	}
	return undefined;
}

// At once: each turn looks, and another thread takes longer to say so.
function resolveLinks(path: string): string | undefined {
	try {
		return realpathSync.native(path);
	} catch {
		return undefined;
	}
}

function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
