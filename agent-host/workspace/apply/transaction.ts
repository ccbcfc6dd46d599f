import { join } from "node:path";
import { type Content, isLink, isSameContent } from "../files/content.ts";
import type { FileMode, Folder } from "./folder-port.ts";
import { hashContent } from "./hash-bytes.ts";
import type { Journal, JournalEntry, JournalPlan, Step } from "./journal.ts";
import type { Place } from "./place.ts";
import { cannotLink, putInPlace, settle } from "./settle.ts";
import type { ContentChange, Verified } from "./verify.ts";

/** A patch that is on the disk and can still be rolled back. */
export interface Committed {
	readonly undo: () => Promise<void>;
	readonly finish: () => Promise<void>;
}

/**
 * The disk refused, or another program was faster. Nothing was changed, or `unsettled` says what the next start will
 * fix.
 */
export class NotApplied extends Error {
	readonly path: string | undefined;
	readonly unsettled: boolean;

	constructor(path: string | undefined, cause: unknown, unsettled: boolean) {
		super("The patch was not applied.", { cause });
		this.path = path;
		this.unsettled = unsettled;
	}
}

class ChangedMeanwhile extends Error {
	readonly code = "ECHANGED";

	constructor() {
		super("The file was changed in the meantime.");
	}
}

interface Work {
	readonly step: Step;
	readonly path: string;
	readonly place: Place;
	readonly after?: Content;
	readonly mode: FileMode;
	readonly before?: Content;
}

/** Writes the changes of a verified patch to disk: all of them or, whatever fails and whenever the host dies, none. */
export async function commitChanges(
	id: string,
	changes: readonly ContentChange[],
	verified: Verified,
	journal: Journal,
): Promise<Committed> {
	const work = changes.flatMap((change, index) => planWorks(id, index, change, verified.places));
	const plan: JournalPlan = { version: 1, steps: work.map(({ step }) => step), made: foldersToMake(work) };
	let state: JournalEntry["state"] = "begun";
	let path: string | undefined;
	const prepared: Prepared[] = [];
	const folderOf = (root: string, folder: string) => verified.hold(root, folder).catch(ignoreMissing);
	const undo = async (): Promise<void> => {
		if (state === "committed") await journal.mark(id, "undone");
		state = state === "begun" ? "begun" : "undone";
		await settle({ id, plan, state }, folderOf, journal);
	};
	try {
		await journal.begin(id, plan);
		for (const { root, folder, name } of plan.made) await (await verified.hold(root, folder)).makeFolder(name);
		for (const one of work) {
			path = one.path;
			prepared.push(await prepare(one, await verified.hold(one.step.root, one.step.folder)));
		}
		await syncFolders(prepared, plan, verified);
		// Set before the mark is made: a mark that fails halfway may still exist.
		state = "committed";
		await journal.mark(id, "committed");
		for (const one of prepared) {
			path = one.path;
			await putStep(one);
		}
		for (const one of prepared) {
			path = one.path;
			await checkUntouched(one);
		}
	} catch (error) {
		const isSettled = await undo().then(
			() => true,
			() => false,
		);
		throw new NotApplied(path, error, !isSettled);
	}
	// Without a sync before it: whatever of this a power loss leaves, the mark says that all files are to become new.
	const tidyUp = async (): Promise<void> => {
		for (const { folder, step, old } of prepared) if (old !== undefined) await folder.remove(step.backup);
		await syncFolders(prepared, plan, verified);
		await journal.end(id);
	};
	return {
		undo,
		finish: () => tidyUp().catch(async () => void (await settle({ id, plan, state }, folderOf, journal))),
	};
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
	if (error.code !== "ENOENT") throw error;
	return undefined;
}

function planWorks(
	id: string,
	index: number,
	change: ContentChange,
	places: ReadonlyMap<string, Place>,
): readonly Work[] {
	const source = places.get(change.path);
	const target = change.movedTo === undefined ? undefined : places.get(change.movedTo.path);
	if (source === undefined) throw new Error(`${change.path} has no place.`);
	if (target === undefined || change.movedTo === undefined) {
		const mode = source.entry?.kind === "file" ? source.entry.mode : change.mode;
		return [planWork(id, `${index}`, change.path, source, change.before, change.after, mode)];
	}
	return [
		planWork(id, `${index}t`, change.movedTo.path, target, change.overwritten, change.after, source.entry?.mode),
		planWork(id, `${index}`, change.path, source, change.before, undefined, undefined),
	];
}

function planWork(
	id: string,
	key: string,
	path: string,
	place: Place,
	before: Content | undefined,
	after: Content | undefined,
	mode: number | undefined,
): Work {
	const step: Step = {
		root: place.root,
		folder: join(place.folder.path, ...place.missing),
		name: place.name,
		...(before === undefined ? {} : { before: hashContent(before) }),
		...(after === undefined ? {} : { after: hashContent(after) }),
		temp: `.vitrine-${id}-${key}.new`,
		backup: `.vitrine-${id}-${key}.old`,
	};
	const contents = { ...(after === undefined ? {} : { after }), ...(before === undefined ? {} : { before }) };
	return { step, path, place, mode: mode ?? "usual", ...contents };
}

function foldersToMake(work: readonly Work[]): JournalPlan["made"] {
	const made = new Map<string, JournalPlan["made"][number]>();
	for (const { place } of work) {
		let folder = place.folder.path;
		for (const name of place.missing) {
			made.set(join(folder, name), { root: place.root, folder, name });
			folder = join(folder, name);
		}
	}
	return [...made.values()];
}

interface Prepared extends Work {
	readonly folder: Folder;
	/** The old file, by its second name. */
	readonly old?: { readonly identity: string; readonly stamp: string; readonly isCopy: boolean };
}

/** Gives the current file a second name, and puts the new content beside it. */
async function prepare(work: Work, folder: Folder): Promise<Prepared> {
	const { step, after, mode, before } = work;
	// The names first: what makes the new content durable mostly includes them.
	const isCopy = before !== undefined && (await backUp(folder, step, before, work.place.entry?.mode ?? "private"));
	if (after !== undefined) await create(folder, step.temp, after, mode);
	if (before === undefined) return { ...work, folder };
	const entry = await folder.look(isCopy ? step.name : step.backup);
	if (entry === undefined) throw new ChangedMeanwhile();
	// Read again: this file will be replaced, and it must be the one that was compared.
	if (!(await holds(folder, isCopy ? step.name : step.backup, before))) throw new ChangedMeanwhile();
	return { ...work, folder, old: { identity: entry.identity, stamp: entry.stamp, isCopy } };
}

function create(folder: Folder, name: string, content: Content, mode: FileMode): Promise<void> {
	return isLink(content) ? folder.makeLink(name, content.target) : folder.create(name, content, mode);
}

async function holds(folder: Folder, name: string, content: Content): Promise<boolean> {
	if (!isLink(content)) return folder.holds(name, content);
	const entry = await folder.look(name);
	return entry?.kind === "link" && isSameContent({ target: await folder.readLink(name) }, content);
}

async function backUp(folder: Folder, step: Step, before: Content, mode: FileMode): Promise<boolean> {
	// Some systems would give a second name to what the link leads to.
	if (isLink(before)) return create(folder, step.backup, before, mode).then(() => true);
	try {
		await folder.link(step.name, step.backup);
		return false;
	} catch (error) {
		if (!cannotLink(error)) throw error;
		await folder.create(step.backup, before, mode);
		return true;
	}
}

async function putStep({ folder, step, old, after }: Prepared): Promise<void> {
	await folder.prove();
	const entry = await folder.look(step.name);
	if (entry?.identity !== old?.identity) throw new ChangedMeanwhile();
	if (old?.isCopy && entry?.stamp !== old.stamp) throw new ChangedMeanwhile();
	if (after === undefined) await folder.remove(step.name);
	else await putInPlace(folder, step);
}

/** A program that had the old file open may have written to it while it was replaced. */
async function checkUntouched({ folder, step, old }: Prepared): Promise<void> {
	if (old === undefined || old.isCopy) return;
	const entry = await folder.look(step.backup);
	if (entry?.stamp !== old.stamp) throw new ChangedMeanwhile();
}

async function syncFolders(prepared: readonly Prepared[], plan: JournalPlan, verified: Verified): Promise<void> {
	const above = await Promise.all(plan.made.map(({ root, folder }) => verified.hold(root, folder)));
	for (const folder of new Set([...above, ...prepared.map((one) => one.folder)])) await folder.sync();
}
