import { readdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { processStartTime } from "../process-start-time.ts";
import { openRunFolder, runFolderOf } from "../run-folder.ts";
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
			return { remove: () => removeFile(path) };
		},
	};
}

/** Undoes what commands of dead hosts have made; one sentence for each. */
export async function cleanUpDeadHosts(home: string): Promise<readonly string[]> {
	const folder = runFolderOf(home);
	const names = listJournal(folder);
	// Most starts find nothing, and then create nothing either.
	if (names.length === 0) return [];
	const { path: own, spare } = openRunFolder(home);
	const { active } = createPlaceholders(own, spare);
	const notes: string[] = [];
	for (const name of names) {
		const path = join(folder, name);
		const entry = readEntry(path);
		if (entry !== undefined && processStartTime(entry.pid) === entry.began) continue;
		if (entry !== undefined) {
			const { all } = createUndoing(entry.before, createHarmfulPlaces(), active);
			notes.push(...findChanged(entry.before));
			notes.push(...(await all()).notes);
		}
		removeFile(path);
	}
	return notes;
}

function listJournal(folder: string): readonly string[] {
	try {
		return readdirSync(folder).filter((name) => name.startsWith(PREFIX) && name.endsWith(".json"));
	} catch {
		return [];
	}
}

function readEntry(path: string): Entry | undefined {
	try {
		return Entry.parse(JSON.parse(readFileSync(path, "utf8")));
	} catch {
		return undefined;
	}
}

function removeFile(path: string): void {
	try {
		unlinkSync(path);
	} catch {
		// Another host was faster.
	}
}
