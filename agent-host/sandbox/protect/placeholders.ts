import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmdirSync,
	unlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beganAt } from "../began-at.ts";

/**
 * Empty folders that stand where a protected name does not exist yet, while commands run. They are written down before
 * they are made and shared by all commands and hosts, so that the last one removes them, and the next start those of
 * a host that died. Only empty folders are ever removed.
 */
export interface Placeholders {
	/** All that stand now, of any host. */
	readonly standing: () => ReadonlySet<string>;
	/** Makes them, parents first. */
	readonly hold: (paths: readonly string[]) => void;
	readonly release: (paths: readonly string[]) => void;
}

interface Journal {
	readonly pid: number;
	readonly began: string;
	readonly paths: readonly string[];
}

const PREFIX = "placeholders-";

export function createPlaceholders(folder: string): Placeholders {
	const held = new Map<string, number>();
	const spares = createSpares(folder);
	const own = `${PREFIX}${process.pid}.json`;
	const began = beganAt(process.pid) ?? "";
	const writeDown = (): void => {
		if (held.size === 0) {
			removeFile(join(folder, own));
			return;
		}
		const journal: Journal = { pid: process.pid, began, paths: [...held.keys()] };
		writeFileSync(join(folder, `${own}.new`), JSON.stringify(journal), { mode: 0o600 });
		renameSync(join(folder, `${own}.new`), join(folder, own));
	};
	const others = (): ReadonlySet<string> =>
		new Set(journalsIn(folder).flatMap(({ name, journal }) => (name === own ? [] : (journal?.paths ?? []))));
	sweep(folder);
	return {
		standing: () => new Set([...held.keys(), ...others()]),
		hold: (paths) => {
			const isNew = paths.some((path) => !held.has(path));
			for (const path of paths) held.set(path, (held.get(path) ?? 0) + 1);
			if (isNew) writeDown();
			for (const path of paths) spares.place(path);
		},
		release: (paths) => {
			const free: string[] = [];
			for (const path of paths) {
				const count = (held.get(path) ?? 1) - 1;
				if (count > 0) held.set(path, count);
				else if (held.delete(path)) free.push(path);
			}
			if (free.length === 0) return;
			const shared = others();
			for (const path of free.reverse()) if (!shared.has(path)) spares.takeAway(path);
			writeDown();
		},
	};
}

/**
 * Empty folders at hand. On some disks making and removing a folder takes a hundred times as long as renaming one, and a
 * command needs dozens.
 */
function createSpares(folder: string): {
	readonly place: (path: string) => void;
	readonly takeAway: (path: string) => void;
} {
	const spares: string[] = [];
	let made = 0;
	let unproved: { readonly path: string; readonly spare: string }[] = [];
	/** Somebody may have put something into one in the moment before it was taken away: then it is theirs, and goes back. */
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
			const spare = spares.pop();
			if (spare === undefined || existsSync(path) || !rename(spare, path)) makeFolder(path);
		},
		takeAway: (path) => {
			const spare = join(folder, `.spare-${process.pid}-${made++}`);
			if (spares.length >= MAX_SPARES || !isEmpty(path) || !rename(path, spare)) return removeEmpty(path);
			if (unproved.length === 0) setImmediate(prove);
			unproved.push({ path, spare });
		},
	};
}

const MAX_SPARES = 200;

function isEmpty(path: string): boolean {
	try {
		return readdirSync(path).length === 0;
	} catch {
		return false;
	}
}

/** False where it cannot be done, such as between two disks. */
function rename(from: string, to: string): boolean {
	try {
		renameSync(from, to);
		return true;
	} catch {
		return false;
	}
}

/** Removes what hosts that are gone left behind. */
function sweep(folder: string): void {
	const journals = journalsIn(folder);
	const standing = new Set(journals.filter(isLive).flatMap(({ journal }) => journal?.paths ?? []));
	for (const dead of journals.filter((one) => !isLive(one))) {
		for (const path of [...(dead.journal?.paths ?? [])].reverse()) if (!standing.has(path)) removeEmpty(path);
		removeFile(join(folder, dead.name));
	}
}

function journalsIn(folder: string): readonly { readonly name: string; readonly journal: Journal | undefined }[] {
	const names = readdirSync(folder).filter((name) => name.startsWith(PREFIX) && name.endsWith(".json"));
	return names.map((name) => ({ name, journal: readJournal(join(folder, name)) }));
}

function readJournal(path: string): Journal | undefined {
	try {
		const { pid, began, paths }: Record<string, unknown> = JSON.parse(readFileSync(path, "utf8"));
		if (typeof pid !== "number" || typeof began !== "string" || !Array.isArray(paths)) return undefined;
		return { pid, began, paths: paths.filter((one) => typeof one === "string") };
	} catch {
		return undefined;
	}
}

function isLive({ journal }: { readonly journal: Journal | undefined }): boolean {
	return journal !== undefined && beganAt(journal.pid) === journal.began;
}

function makeFolder(path: string): void {
	try {
		mkdirSync(path);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
	}
}

function removeEmpty(path: string): void {
	try {
		rmdirSync(path);
	} catch {
		// Somebody put something into it, or took it away: it is theirs now.
	}
}

function removeFile(path: string): void {
	try {
		unlinkSync(path);
	} catch {
		// Another host swept it first.
	}
}
