import { lstat, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Folder } from "../../workspace/apply/folder-port.ts";
import { openHeldFolder } from "../../workspace/apply/held-folder.ts";
import { readGitConfig } from "../protect/git-config.ts";
import { isPlainIndex } from "./plain-index.ts";
import type { RepositoryPlan } from "./plan-repository.ts";
import { linksIn, removeLinks } from "./repository-links.ts";

/** The files of a Git directory that a command may replace, while it works on a copy. */
export interface RepositoryCopy {
	/**
	 * Takes over the replaced files, removes the copy, and returns a sentence for each file that could not be taken over.
	 */
	readonly takeOver: () => Promise<readonly string[]>;
	/** Removes the copy of a command that was not started. */
	readonly discard: () => Promise<void>;
}

/** Git does not make larger files in a repository that people work in. */
const MAX_BYTES = 1_073_741_824;
const PRIVATE = 0o700;

export async function copyRepository(plan: RepositoryPlan): Promise<RepositoryCopy> {
	// Held until the end, so that what was replaced gets back to where it came from.
	const held = await openHeldFolder(plan.directory);
	try {
		await mkdir(plan.copy, { mode: PRIVATE });
		return await fillCopy(plan, held);
	} catch (error) {
		await held.close();
		await rm(plan.copy, { recursive: true, force: true });
		throw error;
	}
}

async function fillCopy(plan: RepositoryPlan, held: Folder): Promise<RepositoryCopy> {
	const { directory, copy, replaced, written, read, links } = plan;
	for (const name of written) {
		await mkdir(join(directory, name), { recursive: true });
		await mkdir(join(copy, name));
	}
	for (const { name, kind } of read) {
		if (kind === "folder") await mkdir(join(copy, name));
		else await writeFile(join(copy, name), "", { flag: "wx" });
	}
	for (const { name, target } of links) await symlink(target, join(copy, name));
	const before = new Map<string, FormerFile | undefined>();
	for (const name of replaced) before.set(name, await copyOne(held, name, copy));
	const linksBefore = await linksIn(directory);
	const discard = async () => {
		await held.close();
		await rm(copy, { recursive: true, force: true });
	};
	const takeOver = async (): Promise<readonly string[]> => {
		const notes: string[] = [];
		try {
			for (const [name, was] of before) notes.push(...(await replace(held, copy, name, was)));
		} finally {
			await discard();
		}
		const made = [...(await linksIn(directory))].filter((path) => !linksBefore.has(path));
		return [...notes, ...(await removeLinks(made))];
	};
	return { takeOver, discard };
}

/** The file before, or undefined if there was none. */
interface FormerFile {
	/** Distinguishes this file from any that replaces it. */
	readonly identity: string;
	readonly bytes: Buffer;
}

async function copyOne(from: Folder, name: string, copy: string): Promise<FormerFile | undefined> {
	const identity = await identifyFile(from, name);
	if (identity === undefined) return undefined;
	const bytes = Buffer.from(await from.read(name, MAX_BYTES));
	await writeFile(join(copy, name), bytes, { flag: "wx" });
	return { identity, bytes };
}

async function replace(
	held: Folder,
	copy: string,
	name: string,
	was: FormerFile | undefined,
): Promise<readonly string[]> {
	const [target, made] = [join(held.path, name), join(copy, name)];
	const found = await tryLstat(made);
	if (found === undefined && was === undefined) return [];
	if (found !== undefined && (!found.isFile() || found.size > MAX_BYTES)) return [`${target} ${NOT_GITS}`];
	const bytes = found === undefined ? undefined : await readFile(made);
	if (bytes !== undefined && was?.bytes.equals(bytes)) return [];
	if (!(await isGits(held, name, bytes))) return [`${target} ${NOT_GITS}`];
	if ((await identifyFile(held, name)) !== was?.identity) return [`${target} ${CHANGED}`];
	return (await putInPlace(held, name, bytes)) ? [] : [`${target} ${LOCKED}`];
}

async function isGits(held: Folder, name: string, bytes: Buffer | undefined): Promise<boolean> {
	if (name === "HEAD") return HEAD.test(bytes?.toString("latin1") ?? "");
	return name !== "index" || bytes === undefined || (await isPlainIndex(bytes, await hashBytesIn(held)));
}

/** The length of the hashes that a repository names its objects by. */
async function hashBytesIn(held: Folder): Promise<number> {
	const config = await held.read("config", MAX_CONFIG_BYTES).catch(() => Buffer.alloc(0));
	const settings = readGitConfig(Buffer.from(config).toString());
	const isLong = settings.findLast(({ name }) => name === "extensions.objectformat")?.value.toLowerCase() === "sha256";
	return isLong ? 32 : 20;
}

const MAX_CONFIG_BYTES = 1_048_576;
const NOT_GITS = "was replaced with something that Git does not write, so the original was kept.";
const CHANGED = "was changed by another program in the meantime, so the command's version was discarded.";
const LOCKED = "is locked by another Git process, so the command's version was discarded.";
/** A branch, or a commit. */
const HEAD = /^(?:ref: refs\/[^\s~^:?*[\\]{1,1000}|[0-9a-f]{40}(?:[0-9a-f]{24})?)\n?$/;

/** As Git does it: only the holder of the lock replaces the file. */
async function putInPlace(held: Folder, name: string, bytes: Buffer | undefined): Promise<boolean> {
	const lock = `${name}.lock`;
	try {
		await held.create(lock, bytes ?? Buffer.alloc(0), "usual");
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
		await held.remove(lock).catch(() => undefined);
		throw error;
	}
	if (bytes !== undefined) await held.rename(lock, name);
	else {
		await held.remove(name).catch(() => undefined);
		await held.remove(lock);
	}
	return true;
}

async function identifyFile(folder: Folder, name: string): Promise<string | undefined> {
	const entry = await folder.look(name);
	return entry === undefined ? undefined : `${entry.identity}:${entry.stamp}`;
}

async function tryLstat(path: string) {
	return lstat(path).catch(() => undefined);
}
