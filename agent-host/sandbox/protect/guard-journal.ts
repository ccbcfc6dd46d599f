import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { isInside } from "../../permissions/reach/reach.ts";
import { listJournal, readJournal, removeJournal } from "../journal-files.ts";
import { processStartTime } from "../process-start-time.ts";
import { openRunFolder, runFolderOf, temporaryFoldersIn } from "../run-folder.ts";
import { createHarmfulPlaces } from "./harmful-places.ts";
import { createPlaceholders } from "./placeholders.ts";
import { type Before, createUndoing, findChanged, type Undoing } from "./undo.ts";

/** The state before each running command, written where no command can reach it. */
export interface GuardJournal {
	readonly write: (before: Before) => {
		readonly replace: (before: Before) => void;
		readonly remove: () => void;
	};
	/** Whether a command of another host runs that may have made any of these paths. */
	readonly isShared: (paths: readonly string[]) => boolean;
}

const PREFIX = "before-";

const Entry = z.object({
	pid: z.number(),
	began: z.string(),
	before: z.object({
		roots: z.array(z.string()),
		names: z.array(z.string()),
		known: z.array(z.string()),
		awaited: z.array(z.string()),
		links: z.array(z.tuple([z.string(), z.string()])),
		stamps: z.array(z.tuple([z.string(), z.string()])).default([]),
	}),
});
type Entry = z.infer<typeof Entry>;

export function createGuardJournal(folder: string): GuardJournal {
	const began = processStartTime(process.pid) ?? "";
	let written = 0;
	return {
		write: (before) => {
			if (before.roots.length === 0) return { replace: () => undefined, remove: () => undefined };
			written += 1;
			const path = join(folder, `${PREFIX}${process.pid}-${written}.json`);
			const replace = (now: Before): void => {
				writeFileSync(`${path}.new`, JSON.stringify({ pid: process.pid, began, before: now }), { mode: 0o600 });
				renameSync(`${path}.new`, path);
			};
			replace(before);
			return { replace, remove: () => removeJournal(path) };
		},
		isShared: (paths) => {
			const others = listJournal(folder, PREFIX).filter((name) => !name.startsWith(`${PREFIX}${process.pid}-`));
			return others.some((name) => {
				const entry = readJournal(join(folder, name), Entry);
				if (entry === undefined || !isLive(entry)) return false;
				return entry.before.roots.some((root) => paths.some((path) => isInside(path, root)));
			});
		},
	};
}

function isLive({ pid, began }: Entry): boolean {
	return processStartTime(pid) === began;
}

/** Undoes what commands of dead hosts have made; one sentence for each. Never rejects, and can be repeated. */
export async function cleanUpDeadHosts(home: string): Promise<readonly string[]> {
	const folder = runFolderOf(home);
	const names = listJournal(folder, PREFIX);
	// Most starts find nothing, and then create nothing either.
	if (names.length === 0) return [];
	const active = findPlaceholders(home);
	const places = createHarmfulPlaces(temporaryFoldersIn(home));
	const notes: string[] = [];
	const left: (Entry & { readonly path: string; readonly undoing: Undoing })[] = [];
	for (const name of names) {
		const path = join(folder, name);
		const entry = readJournal(path, Entry);
		if (entry === undefined) notes.push(...keepUnreadable(path));
		// All of them begin before the first is undone: what one command planted, another may have found in its place.
		else if (!isLive(entry)) left.push({ ...entry, path, undoing: createUndoing(entry.before, places, active) });
	}
	for (const one of left) notes.push(...(await cleanUp(one, one.path, one.undoing)));
	for (const { undoing } of left) undoing.close();
	return notes;
}

async function cleanUp({ before }: Entry, path: string, undoing: Undoing): Promise<readonly string[]> {
	try {
		const notes = [...findChanged(before), ...(await undoing.all()).notes];
		removeJournal(path);
		return notes;
	} catch (error) {
		return [
			`What a command left behind could not be checked (${error}). Look at it before you open it: ${before.roots}`,
		];
	}
}

/** Placeholders of running commands are not theirs; without a usable folder there are none. */
function findPlaceholders(home: string): () => ReadonlySet<string> {
	try {
		const { path, spare } = openRunFolder(home);
		return createPlaceholders(path, spare).active;
	} catch {
		return () => new Set();
	}
}

/** Under a name that the next start does not read: it may be all that tells what stood there before. */
function keepUnreadable(path: string): readonly string[] {
	try {
		renameSync(path, `${path}.unreadable`);
	} catch {
		// Another host was faster, or the folder is read-only.
	}
	return [
		`What stood in your folders before a command is not readable (${path}). Look for files that the command left behind.`,
	];
}
