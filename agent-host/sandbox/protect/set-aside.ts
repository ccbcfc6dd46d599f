import { randomBytes } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { openHeldFolder } from "../../workspace/apply/held-folder.ts";
import type { HarmfulKind } from "./harmful-places.ts";

/** Random, so that no command can have taken the name before. */
const ASIDE = ".made-by-a-command-";
const RANDOM_BYTES = 8;

export interface SetAside {
	/** Whether the path is free now. */
	readonly isGone: boolean;
	/** Absent if there was nothing. */
	readonly note?: string;
}

/**
 * Renames instead of removing: it may be a file that the user made at the same moment. Under another name no program
 * runs it.
 */
export async function setAside(path: string, kind: HarmfulKind): Promise<SetAside> {
	const what = kind === "bare" ? `${dirname(path)} is a Git repository under another name` : `${path} is protected`;
	try {
		const name = await renameWithin(dirname(path), basename(path));
		const now = kind === "bare" ? `${path} was renamed to ${name}` : `it was renamed to ${name}`;
		return { isGone: true, note: `${what} and can't be created by a command; ${now}.` };
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return { isGone: true };
		const note = `${what}, was created by a command, and could not be renamed. Check it before you open it.`;
		return { isGone: false, note };
	}
}

/**
 * Inside a folder that is held open and was reached without a link: a command that is still running cannot redirect
 * this.
 */
async function renameWithin(path: string, name: string): Promise<string> {
	const folder = await openHeldFolder(path);
	try {
		const other = `${name}${ASIDE}${randomBytes(RANDOM_BYTES).toString("hex")}`;
		await folder.rename(name, other);
		return join(path, other);
	} finally {
		await folder.close();
	}
}
