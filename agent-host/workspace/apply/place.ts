import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { isInside } from "../../permissions/reach/reach.ts";
import { findRealPath } from "../files/real-path.ts";
import type { Entry, Folder, OpenFolder } from "./folder-port.ts";

/** What may be written, according to the policy. */
export interface Writable {
	/** Absolute folders; nothing outside them is ever written. */
	readonly roots: readonly string[];
	/** Why a file, with all links resolved, may not be written. */
	readonly mayWrite: (resolved: string) => string | undefined;
	/** Why a file is protected: writing to it always needs a separate approval. */
	readonly protectedBy?: (resolved: string) => string | undefined;
	/** Whether the content of a place may be revealed before the edit is approved. If absent, it may for every place. */
	readonly mayTell?: (resolved: string) => boolean;
}

/** A file's place: a held folder and a name in it. */
export interface Place {
	/** With all links resolved, as it was judged. */
	readonly resolved: string;
	readonly root: string;
	/** The deepest existing folder of the path. */
	readonly folder: Folder;
	/** Folders to create below it. */
	readonly missing: readonly string[];
	readonly name: string;
	readonly entry: Entry | undefined;
	/** Whether the requested name is a link to the file. */
	readonly isLink: boolean;
}

/** `closed`: by the policy, whatever is there. */
export type Refusal = { readonly refusal: string; readonly resolved: string; readonly closed?: true };

/** Open folders, without duplicates. */
export interface Holder {
	readonly hold: (root: string, path: string) => Promise<Folder>;
	readonly close: () => Promise<void>;
}

export function createHolder(open: OpenFolder): Holder {
	const held = new Map<string, Promise<Folder>>();
	const hold = (root: string, path: string): Promise<Folder> => {
		if (!isInside(path, root)) return Promise.reject(new Error(`${path} is not below ${root}.`));
		const folder =
			held.get(path) ??
			(path === root ? open(root) : hold(root, dirname(path)).then((above) => above.openFolder(basename(path))));
		held.set(path, folder);
		// A folder that was not there may be made.
		folder.catch(() => held.delete(path));
		return folder;
	};
	return {
		hold,
		close: async () => {
			const all = await Promise.allSettled(held.values());
			await Promise.all(all.map((one) => (one.status === "fulfilled" ? one.value.close() : undefined)));
		},
	};
}

/** Finds and judges the place of a file, then holds its folder without following links. */
export async function findPlace(path: string, writable: Writable, holder: Holder): Promise<Place | Refusal> {
	const where = findRealPath(path);
	// Judged first: do not reveal whether something exists in a closed place.
	const closed = [where.real, ...where.via].map((name) => writable.mayWrite(name)).find((one) => one !== undefined);
	if (closed !== undefined) return { resolved: where.real, refusal: closed, closed: true };
	try {
		const { real, missing } = resolveLinks(path);
		const resolved = join(real, ...missing);
		const root = findRoot(resolved, writable.roots);
		if (root === undefined) return { resolved, refusal: whyOutside(path, resolved) };
		const refused = judgePlace(resolved, root, writable);
		if (refused !== undefined) return refused;
		const isThere = missing.length === 0;
		const folder = await holder.hold(root, isThere ? dirname(real) : real);
		const name = basename(resolved);
		const entry = missing.length > 1 ? undefined : await folder.look(name);
		const isLink = isThere && lstatSync(path).isSymbolicLink();
		return { resolved, root, folder, missing: missing.slice(0, -1), name, entry, isLink };
	} catch (error) {
		return { resolved: where.real, refusal: describeError(error) };
	}
}

/**
 * The same for a path that is a place itself: below a writable folder it goes through no link, and if a link is there,
 * the place is that of the link.
 */
export async function findOwnPlace(path: string, writable: Writable, holder: Holder): Promise<Place | Refusal> {
	try {
		const found = findOwnRoot(path, writable.roots);
		if (found === undefined) return { resolved: path, refusal: whyOutside(path, path) };
		const { root, resolved } = found;
		const refused = judgePlace(resolved, root, writable);
		if (refused !== undefined) return refused;
		const { folder, missing } = await holdDeepest(root, dirname(resolved), holder);
		const name = basename(resolved);
		const entry = missing.length > 0 ? undefined : await folder.look(name);
		return { resolved, root, folder, missing, name, entry, isLink: false };
	} catch (error) {
		return { resolved: path, refusal: describeError(error) };
	}
}

function judgePlace(resolved: string, root: string, writable: Writable): Refusal | undefined {
	if (resolved === root) return { resolved, refusal: "is a folder." };
	const forbidden = writable.mayWrite(resolved);
	if (forbidden !== undefined) return { resolved, refusal: forbidden, closed: true };
	return undefined;
}

/** The innermost writable folder of a path, which may name the folder as it was opened. */
function findOwnRoot(
	path: string,
	roots: readonly string[],
): { readonly root: string; readonly resolved: string } | undefined {
	for (const opened of roots.toSorted((a, b) => b.length - a.length)) {
		const root = realPathOf(opened);
		if (root === undefined) continue;
		if (isInside(path, opened)) return { root, resolved: join(root, relative(opened, path)) };
		if (isInside(path, root)) return { root, resolved: join(root, relative(root, path)) };
	}
	return undefined;
}

async function holdDeepest(root: string, path: string, holder: Holder): Promise<Pick<Place, "folder" | "missing">> {
	try {
		return { folder: await holder.hold(root, path), missing: [] };
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ENOENT" || path === root) throw error;
		const { folder, missing } = await holdDeepest(root, dirname(path), holder);
		return { folder, missing: [...missing, basename(path)] };
	}
}

/** The writable folders, with links resolved. */
function findRoot(resolved: string, roots: readonly string[]): string | undefined {
	const real = roots.map(realPathOf);
	return real
		.filter((root) => root !== undefined && isInside(resolved, root))
		.toSorted((a, b) => (b?.length ?? 0) - (a?.length ?? 0))[0];
}

function realPathOf(folder: string): string | undefined {
	try {
		return realpathSync.native(folder);
	} catch {
		return undefined;
	}
}

function resolveLinks(path: string): { readonly real: string; readonly missing: readonly string[] } {
	try {
		return { real: realpathSync.native(path), missing: [] };
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw error;
	}
	// A name that exists but leads nowhere is a link; writing there would create its target.
	if (exists(path)) throw Object.assign(new Error("A broken link."), { code: "ELOOP" });
	const above = resolveLinks(dirname(path));
	return { real: above.real, missing: [...above.missing, basename(path)] };
}

function exists(path: string): boolean {
	return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function whyOutside(path: string, resolved: string): string {
	const through = resolved === path ? "" : `, through a link to ${resolved}`;
	return `is outside the writable folders${through}.`;
}

export function describeError(error: unknown): string {
	const { code, message } = error as NodeJS.ErrnoException;
	switch (code) {
		case "ENOENT":
			return "does not exist.";
		case "EACCES":
		case "EPERM":
			return "is not accessible: permission denied.";
		case "EROFS":
			return "is on a read-only file system.";
		case "ENOSPC":
		case "EDQUOT":
			return "cannot be written: the disk is full.";
		case "ELOOP":
			return "is or goes through a link that is broken or was just created.";
		case "ENOTDIR":
			return "has a parent that is not a folder.";
		case "ENOTFILE":
		case "EISDIR":
		case "ENXIO":
			return "is not a regular file.";
		case "ENAMETOOLONG":
			return "has too long a name.";
		case "EMOVED":
		case "ECHANGED":
		case "ETOOLARGE":
			return `cannot be patched. ${message}`;
		default:
			return `cannot be patched (${code ?? message}).`;
	}
}
