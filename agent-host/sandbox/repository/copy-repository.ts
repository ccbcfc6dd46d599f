import { constants } from "node:fs";
import { copyFile, lstat, mkdir, open, readFile, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RepositoryPlan } from "./plan-repository.ts";
import { linksIn, removeNewLinks } from "./repository-links.ts";

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
	await mkdir(plan.copy, { mode: PRIVATE });
	try {
		return await fillCopy(plan);
	} catch (error) {
		await rm(plan.copy, { recursive: true, force: true });
		throw error;
	}
}

async function fillCopy(plan: RepositoryPlan): Promise<RepositoryCopy> {
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
	for (const name of replaced) before.set(name, await copyOne(join(directory, name), join(copy, name)));
	const linksBefore = await linksIn(directory);
	const discard = () => rm(copy, { recursive: true, force: true });
	const takeOver = async (): Promise<readonly string[]> => {
		const notes: string[] = [];
		for (const [name, was] of before) notes.push(...(await replace(plan, name, was)));
		await discard();
		return [...notes, ...(await removeNewLinks(directory, linksBefore))];
	};
	return { takeOver, discard };
}

/** The file before, or undefined if there was none. */
interface FormerFile {
	/** Distinguishes this file from any that replaces it. */
	readonly identity: string;
	readonly bytes: Buffer;
}

async function copyOne(from: string, to: string): Promise<FormerFile | undefined> {
	const identity = await identifyFile(from);
	if (identity === undefined) return undefined;
	await copyFile(from, to, constants.COPYFILE_EXCL);
	return { identity, bytes: await readFile(to) };
}

async function replace(
	{ directory, copy }: RepositoryPlan,
	name: string,
	was: FormerFile | undefined,
): Promise<readonly string[]> {
	const [target, made] = [join(directory, name), join(copy, name)];
	const found = await tryLstat(made);
	if (found === undefined && was === undefined) return [];
	if (found !== undefined && (!found.isFile() || found.size > MAX_BYTES)) return [`${target} ${NOT_GITS}`];
	const bytes = found === undefined ? undefined : await readFile(made);
	if (bytes !== undefined && was?.bytes.equals(bytes)) return [];
	if (name === "HEAD" && !HEAD.test(bytes?.toString("latin1") ?? "")) return [`${target} ${NOT_GITS}`];
	if ((await identifyFile(target)) !== was?.identity) return [`${target} ${CHANGED}`];
	return (await putInPlace(target, bytes)) ? [] : [`${target} ${LOCKED}`];
}

const NOT_GITS = "was replaced with something that Git does not write, so the original was kept.";
const CHANGED = "was changed by another program in the meantime, so the command's version was discarded.";
const LOCKED = "is locked by another Git process, so the command's version was discarded.";
/** A branch, or a commit. */
const HEAD = /^(?:ref: refs\/[^\s~^:?*[\\]{1,1000}|[0-9a-f]{40}(?:[0-9a-f]{24})?)\n?$/;

/** As Git does it: only the holder of the lock replaces the file. */
async function putInPlace(target: string, bytes: Buffer | undefined): Promise<boolean> {
	const lock = `${target}.lock`;
	const handle = await open(lock, "wx").catch(() => undefined);
	if (handle === undefined) return false;
	try {
		if (bytes !== undefined) await handle.writeFile(bytes);
	} finally {
		await handle.close();
	}
	if (bytes !== undefined) await rename(lock, target);
	else {
		await rm(target, { force: true });
		await unlink(lock);
	}
	return true;
}

async function identifyFile(path: string): Promise<string | undefined> {
	const stat = await lstat(path, { bigint: true }).catch(() => undefined);
	return stat === undefined ? undefined : [stat.dev, stat.ino, stat.size, stat.mtimeNs].join(":");
}

async function tryLstat(path: string) {
	return lstat(path).catch(() => undefined);
}
