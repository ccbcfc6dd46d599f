import { dirname, join, relative } from "node:path";
import { between, type Layout, type Mount } from "../layout/plan-layout.ts";
import type { PrivateFolder } from "../layout/private-folders.ts";

export interface CommandView {
	readonly layout: Layout;
	/** `full`: only processes and secrets are contained. */
	readonly level: "contained" | "full";
	/** `joined`: an existing private network, in which bubblewrap is started. */
	readonly network: "private" | "joined" | "shared";
	/** Where it starts, all links resolved. */
	readonly cwd: string;
	readonly environment: Readonly<Record<string, string>>;
	/** One for each private mount. */
	readonly temporary: readonly PrivateFolder[];
	/** An empty file of mode 0000 that replaces closed files. */
	readonly maskFile: string;
}

/** Bubblewrap's options for a command. The order of mounts matters: a later one covers an earlier one. */
export function commandBwrapOptions(view: CommandView): readonly string[] {
	return [
		...mountingOptions(view),
		...namespaceOptions(view),
		"--die-with-parent",
		"--new-session",
		"--cap-drop",
		"ALL",
		"--chdir",
		view.cwd,
		"--clearenv",
		...Object.entries(view.environment).flatMap(([name, value]) => ["--setenv", name, value]),
	];
}

/** Those of them that say what is visible where. */
export function mountingOptions(view: CommandView): readonly string[] {
	const { layout } = view;
	const late = layout.mounts.filter((mount) => isEmptyLeaf(mount, layout));
	const first = late.length === 0 ? layout.mounts : layout.mounts.filter((mount) => !late.includes(mount));
	return [
		...baseOptions(view),
		...first.flatMap((mount) => [...listPassage(mount.path, layout), ...mountOptions(mount, view)]),
		...layout.links.flatMap(({ path, target }) => [...listPassage(path, layout), "--symlink", target, path]),
		// Only after all mount points in them exist.
		...listMasks(layout).flatMap(({ path }) => ["--remount-ro", path]),
		...(layout.base === "none" ? ["--remount-ro", "/"] : []),
		// Each bind and each remount reads the list of all mounts, so the many that need neither come last.
		...late.flatMap((mount) => mountOptions(mount, view)),
	];
}

function baseOptions({ layout, level }: CommandView): readonly string[] {
	const root = level === "full" ? ["--dev-bind", "/", "/"] : ROOT_BINDS[layout.base];
	return [...root, ...pinOptions(layout, level), ...ownPlaces(level, layout.base)];
}

const ROOT_BINDS: Readonly<Record<Layout["base"], readonly string[]>> = {
	none: [],
	read: ["--ro-bind", "/", "/"],
	write: ["--bind", "/", "/"],
};

function ownPlaces(level: CommandView["level"], base: Layout["base"]): readonly string[] {
	if (level === "full") return ["--proc", "/proc"];
	// Root can change the machine through files below /proc, such as those in /proc/sys. Bubblewrap covers them only if
	// they look writable, which they do not to a process without capabilities, although the kernel then only checks the
	// user.
	const own = ["--dev", "/dev", "--proc", "/proc", "--remount-ro", "/proc"];
	// Files below /sys control the machine.
	return base === "write" ? [...own, "--ro-bind-try", "/sys", "/sys"] : own;
}

function namespaceOptions({ level, network }: CommandView): readonly string[] {
	if (level === "full") return ["--unshare-user", "--unshare-pid"];
	const shared = ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts"];
	return network === "private" ? [...shared, "--unshare-net"] : shared;
}

/**
 * A folder that is a mount point anywhere in the sandbox cannot be renamed. A pin is a mount point that the writable
 * folder is mounted over afterwards: it keeps the name fixed, but paths do not cross a file-system border.
 */
function pinOptions(layout: Layout, level: CommandView["level"]): readonly string[] {
	const pins = layout.pins.flatMap((path) => ["--ro-bind", path, path]);
	switch (layout.base) {
		case "read":
			return pins;
		case "none":
			return [
				...pinnedRoots(layout).flatMap((path) => [...listPassage(path, layout), "--ro-bind", path, path]),
				...pins,
			];
		case "write": {
			// The root cannot be mounted over itself: everything below it would be lost. Its folders can.
			const tops = layout.pins.filter((path) => dirname(path) === "/");
			const bind = level === "full" ? "--dev-bind" : "--bind";
			return [...pins, ...tops.flatMap((path) => [bind, path, path])];
		}
	}
}

/** The writable mounts with pins below them. */
function pinnedRoots(layout: Layout): readonly string[] {
	const roots = layout.mounts.filter(({ access }) => access === "write").map(({ path }) => path);
	return roots.filter((root) => layout.pins.some((pin) => pin.startsWith(`${root}/`)));
}

function mountOptions(mount: Mount, { maskFile, temporary }: CommandView): readonly string[] {
	const { path, access, kind } = mount;
	const own = temporary.find(({ at }) => at === path);
	if (own !== undefined) return privateOptions(own, access === "write" ? "--bind" : "--ro-bind");
	switch (access) {
		case "write":
			return ["--bind", path, path];
		case "read":
			// A bind would do the same, but each costs as much as all mounts before it together.
			return kind === "missing" ? ["--perms", "0555", "--tmpfs", path] : ["--ro-bind", path, path];
		case "none":
			if (kind === "file") return ["--ro-bind", maskFile, path];
			// What is sought in it is missing, not refused: Git warns of each file that it may not look for.
			return ["--perms", "0111", "--tmpfs", path];
	}
}

/** The paths to shared places are pinned, as below any other writable folder. */
function privateOptions({ at, kept, shared }: PrivateFolder, bind: "--bind" | "--ro-bind"): readonly string[] {
	const pins = [...new Set(shared.flatMap(({ path }) => between(at, path)))];
	const pinned = pins.flatMap((pin) => ["--ro-bind", join(kept, relative(at, pin)), pin]);
	return [bind, kept, at, ...pinned, ...(pins.length === 0 ? [] : [bind, kept, at])];
}

/** An empty folder in place of a missing name, with nothing mounted below it. */
function isEmptyLeaf({ path, access, kind }: Mount, layout: Layout): boolean {
	return kind === "missing" && access === "read" && !holdsMounts(path, layout);
}

function listMasks(layout: Layout): readonly Mount[] {
	return layout.mounts.filter(({ access, kind }) => access === "none" && kind !== "file");
}

function holdsMounts(path: string, layout: Layout): boolean {
	const below = `${path}/`;
	return [layout.mounts, layout.links].some((all) => all.some((other) => other.path.startsWith(below)));
}

/** Folders of a closed region that lead to something open in it: they can be traversed but not listed. */
function listPassage(path: string, layout: Layout): readonly string[] {
	const above = nearestMount(path, layout);
	const isClosed = above === undefined ? layout.base === "none" : above.access === "none";
	return isClosed ? between(above?.path ?? "/", path).flatMap((folder) => ["--perms", "0111", "--dir", folder]) : [];
}

function nearestMount(path: string, layout: Layout): Mount | undefined {
	for (let folder = dirname(path); folder !== "/"; folder = dirname(folder)) {
		const found = layout.mounts.find((mount) => mount.path === folder);
		if (found !== undefined) return found;
	}
	return undefined;
}
