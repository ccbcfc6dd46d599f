import {
	type ChangeSet,
	type FileChange,
	isBinary,
	type PatchOutcome,
	toChangeSet,
	toFileChange,
	toWholeFileChange,
} from "../../patch/change-set.ts";
import type { Patch } from "../../patch/grammar.ts";
import type { Change, PatchProblem } from "../../patch/plan-patch.ts";
import { toBytes } from "../../patch/text-file.ts";
import type { DescribedPatch, JudgedPatch, PatchedFile, PatchTargets } from "../../tools/tool-ports.ts";
import { type EditedDocument, editDocuments } from "./edit-documents.ts";
import { clearEmptyFolders } from "./empty-folders.ts";
import type { OpenFolder } from "./folder-port.ts";
import { hashBytes, hashInPieces } from "./hash-bytes.ts";
import { openHeldFolder } from "./held-folder.ts";
import type { Journal } from "./journal.ts";
import { NO_DOCUMENTS, type OpenDocuments } from "./open-documents.ts";
import { describeError, type Writable } from "./place.ts";
import { resolveTargets } from "./targets.ts";
import { type Committed, commitChanges, NotApplied } from "./transaction.ts";
import { type Verified, verifyPatch } from "./verify.ts";
import { verifyWanted, type WantedFile } from "./verify-wanted.ts";

export interface PatchOptions {
	/** Absolute; relative paths of the patch start here. */
	readonly cwd: string;
	readonly writable: Writable;
	readonly documents?: OpenDocuments;
	readonly openFolder?: OpenFolder;
	readonly signal?: AbortSignal;
}

export interface ApplyOptions extends PatchOptions {
	readonly journal: Journal;
	/** Names this patch in the journal and in its temporary files: letters, digits and dashes, never used twice. */
	readonly id: string;
	/** What was allowed; anything else is refused. */
	readonly judged?: JudgedPatch;
	/** Checks the whole patch once more, right before anything is written; a problem stops it. */
	readonly check?: (changes: readonly Change[]) => Promise<PatchProblem | undefined>;
}

/** The real paths of a patch's files, without reading one. */
export function findTargets(patch: Patch, options: PatchOptions): Promise<PatchTargets> {
	return resolveTargets(patch, withDefaults(options));
}

/** What a patch would do, without writing a byte. `digest` covers all of it, including contents. */
export async function describePatch(patch: Patch, options: PatchOptions): Promise<DescribedPatch> {
	const verified = await verifyPatch(patch, withDefaults(options));
	if (!verified.ok) return verified;
	await verified.close();
	const files = verified.changes.map((change) => describeChange(change, verified, options.writable));
	return { ok: true, files, digest: digestChanges(verified.changes) };
}

/** Applies a patch completely, or not at all. On the disk this also holds when the host dies; see `recoverPatches`. */
export async function applyPatchToFiles(patch: Patch, options: ApplyOptions): Promise<PatchOutcome> {
	const verified = await verifyPatch(patch, withDefaults(options));
	if (!verified.ok) return verified;
	try {
		for (const bytes of verified.changes.flatMap(({ before, after }) => [before, after])) await hashInPieces(bytes);
		const problem = await options.check?.(verified.changes);
		if (problem !== undefined) return problem;
		if (options.judged !== undefined && !isAsJudged(verified, options.judged)) {
			return { ok: false, reason: "The files changed after the patch was approved; read them and try again." };
		}
		options.signal?.throwIfAborted();
		return await commitAll(verified, options);
	} catch (error) {
		if (error instanceof NotApplied) return describeFailure(error);
		throw error;
	} finally {
		await verified.close();
	}
}

/** Writes files, all of them or none, if each has its expected content. */
export async function writeFiles(wanted: readonly WantedFile[], options: ApplyOptions): Promise<PatchOutcome> {
	await clearEmptyFolders(wanted, withDefaults(options));
	const verified = await verifyWanted(wanted, withDefaults(options));
	if (!verified.ok) return verified;
	try {
		return await commitAll(verified, options);
	} catch (error) {
		if (error instanceof NotApplied) return describeFailure(error);
		throw error;
	} finally {
		await verified.close();
	}
}

/** The disk first, because it can be rolled back reliably; then the documents, each of which may refuse. */
async function commitAll(verified: Verified, options: ApplyOptions): Promise<PatchOutcome> {
	const ofFiles = verified.changes.filter(({ path }) => !verified.documents.has(path));
	const onDisk = [...ofFiles, ...(verified.links ?? [])];
	const committed: Committed | undefined =
		onDisk.length === 0 ? undefined : await commitChanges(options.id, onDisk, verified, options.journal);
	const work = verified.changes.flatMap((change) => {
		const document = verified.documents.get(change.path);
		return document === undefined ? [] : [{ change, document }];
	});
	const edited = await editDocuments(work, options.documents ?? NO_DOCUMENTS);
	if (edited.ok) {
		// Already applied: what cannot be cleaned up now stays in the journal until the next start.
		await committed?.finish().catch(() => undefined);
		return { ok: true, ...toApplied(verified, edited.edited) };
	}
	await committed?.undo().catch((error: unknown) => {
		throw new NotApplied(edited.path, error, true);
	});
	const stuck =
		edited.stuck.length === 0
			? "No changes were made."
			: `These could not be reverted in the editor: ${edited.stuck.join(", ")}.`;
	return { ok: false, path: edited.path, reason: `${edited.path} ${edited.reason} ${stuck}` };
}

function toApplied(
	verified: Verified,
	edited: readonly EditedDocument[],
): { readonly changes: ChangeSet; readonly unsaved: readonly string[] } {
	const documents = new Map(edited.map((one) => [one.change.path, one]));
	const files = verified.changes.map((change): FileChange => {
		const document = documents.get(change.path);
		const file = toFileChange(change, hashBytes);
		if (document === undefined) return file;
		const before = verified.documents.get(change.path)?.text ?? "";
		const texts = { before: hashBytes(toBytes(before)), after: hashBytes(toBytes(document.text)) };
		return { ...file, ...texts, unsaved: true };
	});
	return {
		changes: toChangeSet(files),
		unsaved: edited.map(({ change }) => change.path),
	};
}

function describeChange(change: Change, verified: Verified, { protectedBy }: Writable): PatchedFile {
	const { resolved, movedTo } = change;
	const reason = protectedBy?.(resolved) ?? (movedTo === undefined ? undefined : protectedBy?.(movedTo.resolved));
	return {
		...toWholeFileChange(change, hashBytes),
		...(isBinary(change) ? { binary: true as const } : {}),
		...(reason === undefined ? {} : { protected: reason }),
		...(verified.documents.has(change.path) ? { unsaved: true } : {}),
	};
}

function isAsJudged(verified: Verified, judged: JudgedPatch): boolean {
	return "digest" in judged ? judged.digest === digestChanges(verified.changes) : judged.targets === verified.targets;
}

function digestChanges(changes: readonly Change[]): string {
	const facts = changes.map((change) => {
		const { operation, resolved, movedTo, before, after, overwritten } = toFileChange(change, hashBytes);
		return [operation, resolved, movedTo?.resolved, before, after, overwritten];
	});
	return hashBytes(Buffer.from(JSON.stringify(facts)));
}

function describeFailure({ path, cause, unsettled }: NotApplied): PatchProblem {
	const where = path === undefined ? "The patch" : path;
	const end = unsettled
		? "Some changes could not be reverted; this is done at the next start of the agent host."
		: "No changes were made.";
	return { ok: false, ...(path === undefined ? {} : { path }), reason: `${where} ${describeError(cause)} ${end}` };
}

function withDefaults(options: PatchOptions): Parameters<typeof verifyPatch>[1] {
	const { cwd, writable, documents = NO_DOCUMENTS, openFolder = openHeldFolder, signal } = options;
	return { cwd, writable, documents, openFolder, signal };
}
