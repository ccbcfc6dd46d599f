import { join, relative } from "node:path";

/** A mount, as the kernel lists it in `/proc/…/mountinfo`. */
export interface KernelMount {
	readonly id: string;
	/** The mount that it is on. */
	readonly parent: string;
	/** Identifies its file system. */
	readonly device: string;
	/** The place in that file system that is visible here. */
	readonly root: string;
	readonly at: string;
	readonly isReadOnly: boolean;
	readonly type: string;
}

/** Where a path leads: the mount that is visible there, and the place in its file system. */
export interface Location {
	readonly mount: KernelMount;
	readonly place: string;
}

export function readMountinfo(text: string): readonly KernelMount[] {
	return text.split("\n").flatMap((line) => {
		const [id, parent, device, root, at, options, ...rest] = line.split(" ");
		if (id === undefined || parent === undefined || device === undefined || root === undefined) return [];
		if (at === undefined || options === undefined) return [];
		// Optional fields come before the dash.
		const type = rest[rest.indexOf("-") + 1] ?? "";
		const isReadOnly = options.split(",").includes("ro");
		return [{ id, parent, device, root: decode(root), at: decode(at), isReadOnly, type }];
	});
}

/** Spaces, line ends and backslashes are written as octal numbers. */
function decode(field: string): string {
	return field.replaceAll(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)));
}

/** Finds out where paths without links lead, in the same way as the kernel: from the root, from mount to mount. */
export function createLocator(mounts: readonly KernelMount[]): (path: string) => Location | undefined {
	const ids = new Set(mounts.map(({ id }) => id));
	const on = Map.groupBy(mounts, ({ parent }) => parent);
	const root = mounts.find(({ at, parent }) => at === "/" && !ids.has(parent));
	return (path) => {
		let mount = root;
		for (let next = root; next !== undefined; next = findNext(on.get(next.id) ?? [], path)) mount = next;
		return mount === undefined ? undefined : { mount, place: join(mount.root, relative(mount.at, path)) };
	};
}

/** The first one on the way to a path; it hides those further down. */
function findNext(mounts: readonly KernelMount[], path: string): KernelMount | undefined {
	let next: KernelMount | undefined;
	for (const mount of mounts) {
		if ((next === undefined || mount.at.length <= next.at.length) && isAtOrBelow(path, mount.at)) next = mount;
	}
	return next;
}

/** For paths of mounts, which are absolute and have no dots in them: they are compared thousands of times for each command. */
export function isAtOrBelow(path: string, at: string): boolean {
	return at === "/" || (path.startsWith(at) && (path.length === at.length || path[at.length] === "/"));
}
