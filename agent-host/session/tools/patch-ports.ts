import type { Patch } from "../../patch/grammar.ts";
import { resolvePath } from "../../patch/path.ts";
import type { Change, PatchProblem } from "../../patch/plan-patch.ts";
import type { ReadLog } from "../../patch/read-log.ts";
import { readBody } from "../../patch/text-file.ts";
import type { Policy } from "../../permissions/policy/policy.ts";
import { accessTo, protectedInEdit } from "../../permissions/reach/reach.ts";
import type { DescribedPatch, PatchPorts } from "../../tools/tool-ports.ts";
import { describePatch, findTargets } from "../../workspace/apply/apply-files.ts";
import type { OpenDocuments } from "../../workspace/apply/open-documents.ts";
import type { Patcher } from "../../workspace/apply/patcher.ts";
import type { Writable } from "../../workspace/apply/place.ts";
import { type Readable, readableIn } from "../../workspace/files/readable.ts";
import { describeUnfit } from "./unfit-patch.ts";

/** Patches of one turn: a file that changed since the model read it is shown instead of patched. */
export function createPatchPorts(options: {
	readonly patcher: Patcher;
	/** The turn's policy, bound to the disk. */
	readonly bound: () => Promise<Policy>;
	readonly documents: OpenDocuments;
	readonly reads: ReadLog;
	/** Called with all changes right before they are made; returns a rollback for when none was made after all. */
	readonly snapshot: (changes: readonly Change[]) => Promise<() => Promise<void>>;
}): PatchPorts {
	const { patcher, documents, reads, snapshot } = options;
	let known: Promise<Writable> | undefined;
	const asWritable = (): Promise<Writable> => {
		known ??= options.bound().then((policy) => writableUnder(policy, readableIn(policy)));
		return known;
	};
	return {
		findTargets: async (patch, cwd) => findTargets(patch, { cwd, writable: await asWritable(), documents }),
		describePatch: async (patch, cwd, signal) => {
			const writable = await asWritable();
			const described = await describePatch(patch, { cwd, writable, documents, signal });
			return described.ok ? described : hideContents(described, patch, { cwd, writable, documents });
		},
		applyPatch: async (patch, cwd, judged, signal) => {
			const exhausted = findExhausted(patch, cwd, reads);
			if (exhausted !== undefined) return exhausted;
			let written: readonly Change[] = [];
			let forget: (() => Promise<void>) | undefined;
			const check = async (changes: readonly Change[]): Promise<PatchProblem | undefined> => {
				written = changes;
				const stale = findStale(changes, cwd, reads);
				if (stale !== undefined) return stale;
				try {
					forget = await snapshot(changes);
					return undefined;
				} catch (error) {
					return refuseUnkept(error);
				}
			};
			const writable = await asWritable();
			const outcome = await patcher.apply(patch, { cwd, writable, documents, judged, check, signal });
			if (outcome.ok) for (const change of written) rememberWritten(change, cwd, reads);
			else {
				await forget?.();
				if (outcome.path !== undefined) reads.recordFailure(resolvePath(cwd, outcome.path));
			}
			return outcome;
		},
	};
}

/**
 * What the policy closes stays closed. The verdict decides whether the rest needs approval, and a patch is applied only
 * to the files that were checked.
 */
function writableUnder(policy: Policy, readable: Readable): Writable {
	return {
		roots: ["/"],
		mayTell: readable,
		mayWrite: (resolved) =>
			accessTo(policy, resolved) === "none" ? "is outside the folders the agent can access." : undefined,
		protectedBy: (resolved) => {
			const part = protectedInEdit(policy, resolved);
			return part === undefined
				? undefined
				: `${part} is protected: it can change what other programs run or the agent's permissions.`;
		},
	};
}

/**
 * The reason why a patch does not fit is told only if the model may read all of its files. Otherwise the user is asked
 * as for one that fits, because the reason would reveal their content guess by guess.
 */
async function hideContents(
	problem: PatchProblem,
	patch: Patch,
	options: Parameters<typeof findTargets>[1],
): Promise<DescribedPatch> {
	const found = await findTargets(patch, options);
	if (!found.ok) return found;
	const { mayTell = () => true } = options.writable;
	if (found.files.every(({ resolved }) => mayTell(resolved))) return problem;
	const findResolved = (path: string) => found.files.find((file) => file.path === path)?.resolved ?? path;
	return describeUnfit(patch, findResolved, options.writable);
}

function findExhausted(patch: Patch, cwd: string, reads: ReadLog): PatchProblem | undefined {
	const exhausted = patch.operations.find(({ path }) => reads.mustRead(resolvePath(cwd, path)));
	if (exhausted === undefined) return undefined;
	return refuse(exhausted.path, "was not patched: two patches of it failed in this turn. Read it again first.");
}

function findStale(changes: readonly Change[], cwd: string, reads: ReadLog): PatchProblem | undefined {
	for (const { path, resolved, text, before, encoding, isOpen } of changes) {
		const now = isOpen ? text?.text : before && readBody(before, encoding);
		if (now === undefined) continue;
		const changed = listNames(cwd, path, resolved).map((name) => reads.changedSince(name, now));
		const first = changed.find((one) => one !== undefined);
		if (first !== undefined) return refuse(path, first);
	}
	return undefined;
}

function rememberWritten({ path, resolved, movedTo, after, encoding }: Change, cwd: string, reads: ReadLog): void {
	const text = after && readBody(after, encoding);
	if (text === undefined) return;
	const names = movedTo === undefined ? listNames(cwd, path, resolved) : listNames(cwd, movedTo.path, movedTo.resolved);
	for (const name of names) reads.recordRead(name, text);
}

/** The same file may have been read by its own name or through a link. */
function listNames(cwd: string, path: string, resolved: string): readonly string[] {
	const absolute = resolvePath(cwd, path);
	return absolute === resolved ? [resolved] : [absolute, resolved];
}

/** What cannot be undone is not done. */
function refuseUnkept(error: unknown): PatchProblem {
	const reason = error instanceof Error ? error.message : String(error);
	return { ok: false, reason: `No changes were made: the files could not be backed up (${reason}).` };
}

function refuse(path: string, reason: string): PatchProblem {
	return { ok: false, path, reason: `${path} ${reason}` };
}
