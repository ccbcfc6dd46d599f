import { normalize } from "node:path";
import { parsePatch } from "../../agent-host/patch/grammar.ts";
import { findPathProblem } from "../../agent-host/patch/path.ts";
import { finish } from "../../agent-host/patch/pieces.ts";
import { type Change, type Found, type PatchProblem, planPatch } from "../../agent-host/patch/plan-patch.ts";

/** Files by their path, relative to the working folder. */
export type FileContents = ReadonlyMap<string, Uint8Array>;

export type Outcome =
	| { readonly ok: true; readonly after: FileContents; readonly changes: readonly Change[] }
	| PatchProblem;

/** What applying a patch means, as a function of bytes. The disk must end up as this says, or as it was. */
export function applyPatch(before: FileContents, patch: string): Outcome {
	const parsed = parsePatch(patch);
	if (!parsed.ok) return parsed;
	const plan = finish(planPatch(parsed.patch, (path) => findIn(before, path)));
	if (!plan.ok) return plan;
	const after = new Map(before);
	for (const change of plan.changes) {
		if (change.operation === "delete" || change.operation === "move") after.delete(change.resolved);
		if (change.after !== undefined) after.set(change.movedTo?.resolved ?? change.resolved, change.after);
	}
	return { ok: true, after, changes: plan.changes };
}

function findIn(files: FileContents, path: string): Found {
	const resolved = normalize(path);
	const problem = findPathProblem(path);
	if (problem !== undefined) return { resolved, state: "refused", reason: `is not a valid path: ${problem}.` };
	if (resolved === ".." || resolved.startsWith("../"))
		return { resolved, state: "refused", reason: "is outside the folder." };
	if ([...files.keys()].some((name) => name.startsWith(`${resolved}/`)))
		return { resolved, state: "refused", reason: "is a folder." };
	const bytes = files.get(resolved);
	return bytes === undefined ? { resolved, state: "absent" } : { resolved, state: "file", bytes };
}
