import { writeFileSync } from "node:fs";
import type { Folder, OpenFolder } from "../../agent-host/workspace/apply/folder-port.ts";

/** Names of the calls that can change something, or fail. */
export type FolderCall = Exclude<keyof Folder, "path" | "close">;

/** What happens at one call: nothing special, an error, or the end of the process before or in the middle of it. */
export type FolderFault = "none" | "die" | "dieHalfway" | NodeJS.ErrnoException;

export type PlanFault = (call: FolderCall, index: number) => FolderFault;

export class Died extends Error {
	readonly code = "EDIED";
}

export interface FaultyFolders {
	readonly open: OpenFolder;
	/** Calls made so far. */
	readonly calls: () => number;
	readonly isDead: () => boolean;
}

/** Real folders whose calls fail as planned. After the process has died, no call does anything. */
export function createFaultyFolders(real: OpenFolder, plan: PlanFault): FaultyFolders {
	let calls = 0;
	let isDead = false;
	const at = async <T>(call: FolderCall, work: () => Promise<T>, halfway?: () => void): Promise<T> => {
		if (isDead) throw new Died();
		const fault = plan(call, calls);
		calls += 1;
		if (fault === "none") return work();
		if (typeof fault !== "string") throw fault;
		isDead = true;
		if (fault === "dieHalfway") halfway?.();
		throw new Died();
	};
	const wrap = (folder: Folder): Folder => ({
		path: folder.path,
		close: () => folder.close(),
		look: (name) => at("look", () => folder.look(name)),
		read: (name, max) => at("read", () => folder.read(name, max)),
		hash: (name, max) => at("hash", () => folder.hash(name, max)),
		holds: (name, bytes) => at("holds", () => folder.holds(name, bytes)),
		create: (name, bytes, mode) =>
			at(
				"create",
				() => folder.create(name, bytes, mode),
				() => writeFileSync(`${folder.path}/${name}`, bytes.subarray(0, bytes.length / 2), { flag: "wx" }),
			),
		readLink: (name) => at("readLink", () => folder.readLink(name)),
		makeLink: (name, target) => at("makeLink", () => folder.makeLink(name, target)),
		link: (from, to) => at("link", () => folder.link(from, to)),
		rename: (from, to) => at("rename", () => folder.rename(from, to)),
		remove: (name) => at("remove", () => folder.remove(name)),
		makeFolder: (name) => at("makeFolder", () => folder.makeFolder(name)),
		removeFolder: (name) => at("removeFolder", () => folder.removeFolder(name)),
		openFolder: (name) => at("openFolder", async () => wrap(await folder.openFolder(name))),
		list: () => at("list", () => folder.list()),
		sync: () => at("sync", () => folder.sync()),
		prove: () => at("prove", () => folder.prove()),
	});
	return {
		open: (path) => at("openFolder", async () => wrap(await real(path))),
		calls: () => calls,
		isDead: () => isDead,
	};
}
