import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { listJournal, readJournal, removeJournal } from "../journal-files.ts";
import { processStartTime } from "../process-start-time.ts";
import { openRunFolder, runFolderOf, temporaryFoldersIn } from "../run-folder.ts";
import { createHarmfulPlaces } from "./harmful-places.ts";
import { createPlaceholders } from "./placeholders.ts";
import { type Before, createUndoing, findChanged } from "./undo.ts";

/** The state before each running command, written where no command can reach it. */
export interface GuardJournal {
	readonly write: (before: Before) => { readonly remove: () => void };
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
			if (before.roots.length === 0) return { remove: () => undefined };
			written += 1;
			const path = join(folder, `${PREFIX}${process.pid}-${written}.json`);
			writeFileSync(`${path}.new`, JSON.stringify({ pid: process.pid, began, before }), { mode: 0o600 });
			renameSync(`${path}.new`, path);
			return { remove: () => removeJournal(path) };
		},
	};
}

/** Undoes what commands of dead hosts have made; one sentence for each. Never rejects, and can be repeated. */
export async function cleanUpDeadHosts(home: string): Promise<readonly string[]> {
	const folder = runFolderOf(home);
	const names = listJournal(folder, PREFIX);
	// Most starts find nothing, and then create nothing either.
	if (names.length === 0) return [];
	const active = findPlaceholders(home);
	const notes: string[] = [];
	for (const name of names) {
		const path = join(folder, name);
		const entry = readJournal(path, Entry);
		if (entry !== undefined && processStartTime(entry.pid) === entry.began) continue;
		notes.push(...(entry === undefined ? keepUnreadable(path) : await cleanUp(entry, path, home, active)));
	}
	return notes;
}

async function cleanUp(
	{ before }: Entry,
	path: string,
	home: string,
	active: () => ReadonlySet<string>,
): Promise<readonly string[]> {
	const { all, close } = createUndoing(before, createHarmfulPlaces(temporaryFoldersIn(home)), active);
	try {
		const notes = [...findChanged(before), ...(await all()).notes];
		removeJournal(path);
		return notes;
	} catch (error) {
		return [
			`What a command left behind could not be checked (${error}). Look at it before you open it: ${before.roots}`,
		];
	} finally {
		close();
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
