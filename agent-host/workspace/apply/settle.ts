import type { Entry, Folder } from "./folder-port.ts";
import { hashContent, isLinkHash } from "./hash-bytes.ts";
import type { Journal, JournalEntry, JournalPlan, Step } from "./journal.ts";
import { MAX_FILE_BYTES } from "./verify.ts";

/** Opens the folder of a step; undefined if it is gone. */
export type FolderOf = (root: string, folder: string) => Promise<Folder | undefined>;

/** Files that were changed meanwhile: they were not touched. */
export type Left = readonly string[];

/**
 * Brings a started patch to one end, whatever was done of it. Each part checks the current state first, so that it can
 * be interrupted anywhere and repeated.
 */
export async function settle(entry: JournalEntry, folderOf: FolderOf, journal: Journal): Promise<Left> {
	const left: string[] = [];
	for (const [index, step] of entry.plan.steps.entries()) {
		const folder = await folderOf(step.root, step.folder);
		if (folder === undefined) continue;
		const isLeft = await settleStep(entry, step, folder, (bytes) => journal.keep(`${entry.id}-${index}.kept`, bytes));
		if (isLeft) left.push(`${step.folder}/${step.name}`);
		await discard(folder, step.temp);
		await discard(folder, step.backup);
		await folder.sync();
	}
	if (entry.state !== "committed") await removeMade(entry.plan, folderOf);
	await journal.end(entry.id);
	return left;
}

async function settleStep(
	{ state }: JournalEntry,
	step: Step,
	folder: Folder,
	keep: (bytes: Uint8Array) => Promise<string>,
): Promise<boolean> {
	switch (state) {
		case "begun":
			return false;
		case "committed":
			return finishStep(step, folder);
		case "undone":
			return undoStep(step, folder, keep);
	}
}

async function finishStep(step: Step, folder: Folder): Promise<boolean> {
	const now = await hashAt(folder, step.name);
	if (step.after === undefined) {
		if (now === undefined) return false;
		if (now !== step.before) return true;
		await folder.remove(step.name);
		return false;
	}
	const temp = await folder.look(step.temp);
	// Already in place; any later change is the user's.
	if (temp === undefined || now === step.after) return false;
	if (now !== step.before) return true;
	await putInPlace(folder, step);
	return false;
}

async function undoStep(step: Step, folder: Folder, keep: (bytes: Uint8Array) => Promise<string>): Promise<boolean> {
	const [entry, temp, backup] = await Promise.all([step.name, step.temp, step.backup].map((name) => folder.look(name)));
	const now = await hashAt(folder, step.name);
	if (step.before === undefined) {
		const isOurs = now === step.after && (temp === undefined || isSame(temp, entry));
		if (isOurs) await folder.remove(step.name);
		return now !== undefined && !isOurs;
	}
	// The new content is still beside the file: this step was not taken.
	if (step.after !== undefined && temp !== undefined) return false;
	if (backup === undefined || isSame(backup, entry) || now === step.before) return false;
	if (now === undefined || now === step.after) {
		await folder.rename(step.backup, step.name);
		return false;
	}
	await keep(await (backup.kind === "link" ? folder.readLink(step.backup) : folder.read(step.backup, MAX_FILE_BYTES)));
	return true;
}

/** Gives the new content its name. A new file never replaces one that appeared meanwhile. */
export async function putInPlace(folder: Folder, step: Step): Promise<void> {
	if (step.before !== undefined) return folder.rename(step.temp, step.name);
	// Some systems would give a second name to what a link leads to.
	if (isLinkHash(step.after)) return renameToFree(folder, step);
	try {
		await folder.link(step.temp, step.name);
	} catch (error) {
		if (!cannotLink(error)) throw error;
		return renameToFree(folder, step);
	}
	return folder.remove(step.temp);
}

async function renameToFree(folder: Folder, step: Step): Promise<void> {
	if ((await folder.look(step.name)) !== undefined) throw Object.assign(new Error("taken"), { code: "EEXIST" });
	return folder.rename(step.temp, step.name);
}

/** Some file systems allow only one name per file. */
export function cannotLink(error: unknown): boolean {
	const { code } = error as NodeJS.ErrnoException;
	return (
		code === "EPERM" ||
		code === "ENOTSUP" ||
		code === "EOPNOTSUPP" ||
		code === "ENOSYS" ||
		code === "EMLINK" ||
		code === "EINVAL"
	);
}

async function removeMade({ made }: JournalPlan, folderOf: FolderOf): Promise<void> {
	for (const { root, folder, name } of made.toReversed()) {
		const above = await folderOf(root, folder);
		// If someone put a file there, the folder is theirs.
		await above?.removeFolder(name).catch((error: NodeJS.ErrnoException) => {
			if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST" && error.code !== "ENOENT") throw error;
		});
		await above?.sync();
	}
}

async function discard(folder: Folder, name: string): Promise<void> {
	if ((await folder.look(name)) !== undefined) await folder.remove(name);
}

/** The hash of a file or link; a marker for anything else; undefined if nothing is there. */
async function hashAt(folder: Folder, name: string): Promise<string | undefined> {
	const entry = await folder.look(name);
	if (entry === undefined) return undefined;
	if (entry.kind === "link") return hashContent({ target: await folder.readLink(name) });
	if (entry.kind !== "file" || entry.size > MAX_FILE_BYTES) return entry.kind;
	return folder.hash(name, MAX_FILE_BYTES);
}

function isSame(a: Entry, b: Entry | undefined): boolean {
	return a.identity === b?.identity;
}
