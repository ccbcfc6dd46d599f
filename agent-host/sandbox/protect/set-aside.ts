import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { open, readdir, readlink, rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { openHeldFolder } from "../../workspace/apply/held-folder.ts";
import type { HarmfulKind } from "./harmful-places.ts";
import { tryReadlink } from "./try-readlink.ts";

/** Random, so that no command can have taken the name before. */
const ASIDE = ".made-by-a-command-";
const RANDOM_BYTES = 8;

const CLOSED =
	"was closed by a command even to you, so what is in it could not be checked. Look for repositories and configuration in it before you open it.";

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
		if (kind === "closed") return { isGone: false, note: `${path} ${CLOSED}` };
		if (kind === "link") return await removeLink(path);
		if (kind === "unreadable") return await giveReadableName(path);
		const name = await renameWithin(dirname(path), basename(path));
		const now = kind === "bare" ? `${path} was renamed to ${name}` : `it was renamed to ${name}`;
		return { isGone: true, note: `${what} and can't be created by a command; ${now}.` };
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return { isGone: true };
		const note = `${what}, was created by a command, and could not be renamed. Check it before you open it.`;
		return { isGone: false, note };
	}
}

/** Under another name it would lead to the same place. */
async function removeLink(path: string): Promise<SetAside> {
	const folder = await openHeldFolder(dirname(path));
	const target = tryReadlink(path);
	try {
		await folder.remove(basename(path));
	} finally {
		await folder.close();
	}
	return { isGone: true, note: `${path} led to temporary files of commands (${target}); the link was removed.` };
}

/** Then it can be looked into, as everything else. Other systems have no such names. */
async function giveReadableName(path: string): Promise<SetAside> {
	const [folder, name] = [dirname(path), basename(path)];
	const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
	try {
		const base = `/proc/self/fd/${handle.fd}`;
		if ((await readlink(base)) !== folder) return { isGone: true };
		const all = await readdir(base, { encoding: "buffer" });
		const named = all.filter((bytes) => bytes.toString("utf8") === name);
		for (const bytes of named) {
			await rename(Buffer.concat([Buffer.from(`${base}/`), bytes]), `${base}/${otherName(bytes.toString("hex"))}`);
		}
		if (named.length === 0) return { isGone: true };
	} finally {
		await handle.close();
	}
	return { isGone: true, note: `${path} has a name that is not valid text, so it was renamed to look into it.` };
}

function otherName(name: string): string {
	return `${name}${ASIDE}${randomBytes(RANDOM_BYTES).toString("hex")}`;
}

/**
 * Inside a folder that is held open and was reached without a link: a command that is still running cannot redirect
 * this.
 */
async function renameWithin(path: string, name: string): Promise<string> {
	const folder = await openHeldFolder(path);
	try {
		const other = otherName(name);
		await folder.rename(name, other);
		return join(path, other);
	} finally {
		await folder.close();
	}
}
