import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { inHeldFolder } from "./in-held-folder.ts";

/**
 * A stock of empty folders. On some disks creating and removing a folder takes a hundred times as long as renaming one,
 * and a command needs dozens.
 */
export function createSpares(folder: string): {
	readonly place: (path: string) => void;
	readonly takeAway: (path: string) => void;
} {
	let made = 0;
	const nextName = (): string => join(folder, `.spare-${process.pid}-${made++}`);
	const spares: string[] = listLeftovers(folder).flatMap((left) => {
		const own = nextName();
		return rename(left, own) && isEmpty(own) ? [own] : [];
	});
	let unproved: { readonly path: string; readonly spare: string }[] = [];
	/** If something was put into one just before it was taken, it belongs to the user and goes back. */
	const prove = (): void => {
		const taken = unproved;
		unproved = [];
		for (const { path, spare } of taken) {
			if (isEmpty(spare)) spares.push(spare);
			else giveBack(spare, path);
		}
	};
	return {
		place: (path) => {
			inHeldFolder(path, (place) => {
				if (existsSync(place)) return;
				const spare = spares.pop();
				if (spare === undefined || !rename(spare, place)) makeFolder(place);
			});
		},
		takeAway: (path) => {
			const spare = nextName();
			const isTaken =
				spares.length < MAX_SPARES && tryInFolder(path, (place) => isEmpty(place) && rename(place, spare));
			if (!isTaken) return removeEmpty(path);
			if (unproved.length === 0) setImmediate(prove);
			unproved.push({ path, spare });
		},
	};
}

const MAX_SPARES = 200;

/** Folders of dead hosts. The first host to rename one owns it. */
function listLeftovers(folder: string): readonly string[] {
	const isLeft = (name: string): boolean => {
		const owner = /^\.spare-(\d+)-/.exec(name)?.[1];
		return owner !== undefined && !existsSync(`/proc/${owner}`);
	};
	return readdirSync(folder)
		.filter(isLeft)
		.slice(0, MAX_SPARES)
		.map((name) => join(folder, name));
}

/** A link to an empty folder is none. */
function isEmpty(path: string): boolean {
	try {
		return lstatSync(path).isDirectory() && readdirSync(path).length === 0;
	} catch {
		return false;
	}
}

/** False if it is not possible, for example between two disks. */
function rename(from: string, to: string): boolean {
	try {
		renameSync(from, to);
		return true;
	} catch {
		return false;
	}
}

function makeFolder(path: string): void {
	try {
		mkdirSync(path);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
	}
}

export function removeEmpty(path: string): void {
	tryInFolder(path, (place) => {
		rmdirSync(place);
		return true;
	});
}

function giveBack(spare: string, path: string): void {
	tryInFolder(path, (place) => rename(spare, place));
}

/** False if it was filled, removed or moved from outside, so that it is no longer ours. */
function tryInFolder(path: string, act: (place: string) => boolean): boolean {
	try {
		return inHeldFolder(path, act);
	} catch {
		return false;
	}
}
