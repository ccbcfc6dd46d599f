import { join, relative } from "node:path";
import { createLocator, isAtOrBelow, type KernelMount, type Location } from "./mountinfo.ts";

/** A mount that bubblewrap was told to make. A later one covers an earlier one. */
export interface ToldMount {
	readonly at: string;
	/** `empty`: a new file system. `own`: devices or processes of the sandbox. */
	readonly kind: "bind" | "empty" | "own";
	/** What is visible there, if it is bound. */
	readonly source: string;
	readonly isReadOnly: boolean;
	/** Nothing is mounted if the source does not exist. */
	readonly isOptional: boolean;
}

const PLAIN = { source: "", isReadOnly: false, isOptional: false };

/** What bubblewrap begins with. */
const ROOT: ToldMount = { ...PLAIN, at: "/", kind: "empty" };

/** The mounts among bubblewrap's options, which begin with them. */
export function listToldMounts(options: readonly string[]): readonly ToldMount[] {
	return [ROOT, ...options.flatMap((word, index) => readOption(word, options.slice(index + 1, index + 3)))];
}

/** Paths and modes do not begin with a dash, so each of these words is an option. */
function readOption(word: string, [first = "", second = ""]: readonly string[]): readonly ToldMount[] {
	switch (word) {
		case "--bind":
		case "--dev-bind":
			return [{ ...PLAIN, at: second, kind: "bind", source: first }];
		case "--ro-bind":
			return [{ ...PLAIN, at: second, kind: "bind", source: first, isReadOnly: true }];
		case "--ro-bind-try":
			return [{ at: second, kind: "bind", source: first, isReadOnly: true, isOptional: true }];
		case "--tmpfs":
			return [{ ...PLAIN, at: first, kind: "empty" }];
		case "--dev":
		case "--proc":
			return [{ ...PLAIN, at: first, kind: "own" }];
		default:
			return [];
	}
}

/**
 * The first place in a sandbox that is not what bubblewrap was told to show there; undefined if there is none. Bubblewrap
 * looks up sources and mount points by their paths, and another process may have made a folder on the way a link.
 * @param ours The mounts of the host, without the sandbox's.
 * @param theirs The mounts in the sandbox.
 */
export function findWrongMount(
	told: readonly ToldMount[],
	ours: readonly KernelMount[],
	theirs: readonly KernelMount[],
): string | undefined {
	const [locate, look] = [createLocator(ours), createLocator(theirs)];
	const devices = new Set(ours.map(({ device }) => device));
	const isAsTold = (path: string): boolean => {
		const covering = told.findLast(({ at }) => isAtOrBelow(path, at));
		const seen = look(path);
		if (covering === undefined || seen === undefined) return false;
		if (covering.at === path && !covering.isOptional && !isMountedAs(covering, seen.mount)) return false;
		switch (covering.kind) {
			case "own":
				return true;
			case "empty":
				return seen.mount.at === covering.at && seen.mount.type === "tmpfs" && !devices.has(seen.mount.device);
			case "bind":
				return isSame(seen, locate(join(covering.source, relative(covering.at, path))));
		}
	};
	const isVisible = (mount: KernelMount): boolean => look(mount.at)?.mount === mount;
	const places = [...told, ...theirs.filter(isVisible)].map(({ at }) => at);
	return [...new Set(places)].find((path) => !isAsTold(path));
}

function isMountedAs({ at, isReadOnly }: ToldMount, mount: KernelMount): boolean {
	return mount.at === at && (mount.isReadOnly || !isReadOnly);
}

/** Where upper and lower case are the same, the kernel may know a path in another spelling. */
function isSame(seen: Location, wanted: Location | undefined): boolean {
	return seen.mount.device === wanted?.mount.device && seen.place.toLowerCase() === wanted.place.toLowerCase();
}
