import { readdirSync, readFileSync, unlinkSync } from "node:fs";
import type * as z from "zod";
import { isMissing } from "../workspace/files/is-missing.ts";

/** The files of one kind of journal in the run folder; none if there is no such folder yet. */
export function listJournal(folder: string, prefix: string): readonly string[] {
	if (isMissing(folder)) return [];
	try {
		return readdirSync(folder).filter((name) => name.startsWith(prefix) && name.endsWith(".json"));
	} catch {
		return [];
	}
}

/** Undefined if it is gone, cut off or of another version. */
export function readJournal<Entry>(path: string, schema: z.ZodType<Entry>): Entry | undefined {
	try {
		return schema.parse(JSON.parse(readFileSync(path, "utf8")));
	} catch {
		return undefined;
	}
}

export function removeJournal(path: string): void {
	try {
		unlinkSync(path);
	} catch {
		// Another host was faster.
	}
}
