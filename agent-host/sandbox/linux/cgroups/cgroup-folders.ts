/** A place where a cgroup for a command's processes could be created. */
export interface GroupFolder {
	readonly path: string;
	/** The host's own group, if the new one would not be below it: its limits would no longer apply. */
	readonly leaves?: string;
}

/** A mounted cgroup file system. */
interface GroupMount {
	readonly type: "cgroup" | "cgroup2";
	/** The mounted part of the hierarchy, and where. */
	readonly root: string;
	readonly at: string;
	readonly options: readonly string[];
}

/** From `/proc/self/cgroup` and `/proc/self/mountinfo`, the best place first. */
export function groupFolders(groups: string, mountinfo: string): readonly GroupFolder[] {
	const mounts = mountinfo.split("\n").flatMap(readMount);
	return groups.split("\n").flatMap((line) => {
		const [, controllers = "", own = ""] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
		const isUnified = line.startsWith("0::");
		if (own === "" || (!isUnified && !controllers.split(",").includes("pids"))) return [];
		const mount = mounts.find((one) => (isUnified ? one.type === "cgroup2" : one.options.includes("pids")));
		const path = mount === undefined ? undefined : placeIn(mount, own);
		if (mount === undefined || path === undefined) return [];
		// In the unified hierarchy, a group with processes cannot have subgroups that count any.
		return isUnified && path !== mount.at ? [{ path }, { path: parentOf(path), leaves: path }] : [{ path }];
	});
}

function readMount(line: string): readonly GroupMount[] {
	const match = /^\d+ \d+ \S+ (\S+) (\S+) .* - (cgroup2?) \S+ (\S+)$/.exec(line);
	if (match === null) return [];
	const [, root = "", at = "", type, options = ""] = match;
	return [{ type: type === "cgroup2" ? "cgroup2" : "cgroup", root, at, options: options.split(",") }];
}

function placeIn({ root, at }: GroupMount, own: string): string | undefined {
	if (root === "/") return own === "/" ? at : `${at}${own}`;
	if (own === root) return at;
	return own.startsWith(`${root}/`) ? `${at}${own.slice(root.length)}` : undefined;
}

function parentOf(path: string): string {
	return path.slice(0, path.lastIndexOf("/"));
}
