import { readdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processStartTime } from "../process-start-time.ts";
import { createSpares, removeEmpty } from "./spares.ts";

/**
 * Empty folders in place of protected names that do not exist yet, while commands run. They are recorded before they
 * are created and shared by all commands and hosts, so that the last one removes them, and the next start removes those
 * of a dead host. Only empty folders are ever removed.
 */
export interface Placeholders {
	/** All current placeholders, of any host. */
	readonly active: () => ReadonlySet<string>;
	/** Creates them, parents first. */
	readonly hold: (paths: readonly string[]) => void;
	readonly release: (paths: readonly string[]) => void;
}

interface Journal {
	readonly pid: number;
	readonly began: string;
	readonly paths: readonly string[];
}

const PREFIX = "placeholders-";

/** `folder` is where they are recorded, `spare` where unused ones are kept. */
export function createPlaceholders(folder: string, spare: string): Placeholders {
	const held = new Map<string, number>();
	const spares = createSpares(spare);
	const own = `${PREFIX}${process.pid}.json`;
	const began = processStartTime(process.pid) ?? "";
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
		new Set(
			journalNames(folder)
				.filter((name) => name !== own)
				.flatMap((name) => readJournal(join(folder, name))?.paths ?? []),
		);
	const active = (): ReadonlySet<string> => new Set([...held.keys(), ...others()]);
	sweep(folder);
	return {
		active,
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

/** Removes what dead hosts left behind. */
function sweep(folder: string): void {
	const journals = journalNames(folder).map((name) => ({ name, journal: readJournal(join(folder, name)) }));
	const active = new Set(journals.filter(isLive).flatMap(({ journal }) => journal?.paths ?? []));
	for (const dead of journals.filter((one) => !isLive(one))) {
		for (const path of [...(dead.journal?.paths ?? [])].reverse()) if (!active.has(path)) removeEmpty(path);
		removeFile(join(folder, dead.name));
	}
}

function journalNames(folder: string): readonly string[] {
	return readdirSync(folder).filter((name) => name.startsWith(PREFIX) && name.endsWith(".json"));
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
	return journal !== undefined && processStartTime(journal.pid) === journal.began;
}

function removeFile(path: string): void {
	try {
		unlinkSync(path);
	} catch {
		// Another host swept it first.
	}
}
