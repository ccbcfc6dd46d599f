import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync } from "node:fs";
import { join } from "node:path";

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
			else rename(spare, path);
		}
	};
	return {
		place: (path) => {
			if (existsSync(path)) return;
			const spare = spares.pop();
			if (spare === undefined || !rename(spare, path)) makeFolder(path);
		},
		takeAway: (path) => {
			const spare = nextName();
			if (spares.length >= MAX_SPARES || !isEmpty(path) || !rename(path, spare)) return removeEmpty(path);
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

function isEmpty(path: string): boolean {
	try {
		return readdirSync(path).length === 0;
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
	try {
		rmdirSync(path);
	} catch {
		// It was filled or removed from outside, so it is no longer ours.
	}
}
