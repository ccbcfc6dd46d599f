import * as z from "zod";
import type { FileChange, PatchOutcome } from "../patch/change-set.ts";
import { MAX_PATCH_CHARS, type Operation, type ParsedPatch, parsePatch } from "../patch/grammar.ts";
import { PATCH_GRAMMAR } from "../patch/lark.ts";
import { showDiff } from "./show-diff.ts";
import { type DescribedPatch, defineTool, type JudgedPatch, type PatchedFile, type ToolOutcome } from "./tool.ts";

/** What was judged of each call, or why there was nothing to judge. Only that is applied. */
const judged = new WeakMap<object, JudgedPatch | { readonly problem: string }>();

/** Each call's patch, understood once. */
const understood = new WeakMap<object, ParsedPatch>();

export const applyPatch = defineTool({
	name: "apply_patch",
	description: [
		"Change files with a patch, all of it or nothing. The patch is text of this form:",
		"*** Begin Patch",
		"*** Add File: path (then the lines of the new file, each with + before it)",
		"*** Delete File: path",
		"*** Update File: path (then, if the file is to be renamed, *** Move to: path; then hunks)",
		"@@ optional line that stands above the hunk, such as the head of a function",
		" a line that stays, - before a line that goes, + before a line that comes",
		"*** End Patch",
		"Show about three lines around each change. Each file may be named once. Read a file before you change it.",
	].join("\n"),
	needs: "edit",
	kind: "fileChange",
	input: z.object({ patch: z.string().min(1).max(MAX_PATCH_CHARS).describe("The whole patch") }),
	freeForm: { field: "patch", grammar: PATCH_GRAMMAR },
	title: (input) => titleOf(parse(input)),
	async access(input, at, ports) {
		const parsed = parse(input);
		const found = parsed.ok ? await ports.findTargets(parsed.patch, at(".")) : parsed;
		if (!found.ok) {
			judged.set(input, { problem: found.reason });
			return { kind: "none" };
		}
		// What the user was shown binds more closely than what the verdict was about.
		const before = judged.get(input);
		if (before === undefined || !("digest" in before)) judged.set(input, { targets: found.targets });
		return { kind: "edit", targets: [...found.files] };
	},
	async subject(input, at, ports, signal) {
		const parsed = parse(input);
		const described = parsed.ok ? await ports.describePatch(parsed.patch, at("."), signal) : parsed;
		if (!described.ok) {
			judged.set(input, { problem: described.reason });
			return { problem: described.reason };
		}
		judged.set(input, { digest: described.digest });
		return { kind: "patch", files: described.files.map(toTarget), diff: diffOf(described) };
	},
	async run(input, at, ports, signal) {
		const allowed = judged.get(input);
		const parsed = parse(input);
		if (!parsed.ok) return parsed;
		if (allowed === undefined) return { ok: false, reason: "The patch was not judged, so it was not applied." };
		if ("problem" in allowed) return { ok: false, reason: allowed.problem };
		return report(await ports.applyPatch(parsed.patch, at("."), allowed, signal));
	},
});

function parse(input: { readonly patch: string }): ParsedPatch {
	const known = understood.get(input) ?? parsePatch(input.patch);
	understood.set(input, known);
	return known;
}

function diffOf({ files, unfit }: Extract<DescribedPatch, { readonly ok: true }>): string {
	if (unfit === undefined) return showDiff(files);
	return `This patch does not fit the files as they are. If you allow it, nothing is changed and the agent reads why.\n${unfit}`;
}

function toTarget(file: PatchedFile) {
	const { path, resolved, operation, movedTo, added, removed, before, after, overwritten, protected: reason } = file;
	return {
		path,
		resolved,
		operation,
		...(movedTo === undefined ? {} : { movedTo: movedTo.resolved }),
		added,
		removed,
		...(before === undefined ? {} : { before }),
		...(after === undefined ? {} : { after }),
		...(overwritten === undefined ? {} : { overwritten, overwrites: true }),
		...(file.binary ? { binary: true as const } : {}),
		...(reason === undefined ? {} : { protected: reason }),
	};
}

function titleOf(parsed: ParsedPatch): string {
	const [first, ...rest]: readonly Operation[] = parsed.ok ? parsed.patch.operations : [];
	if (first === undefined) return "Patch";
	const verb = { add: "Add", update: "Edit", delete: "Delete" }[first.kind];
	return rest.length === 0 ? `${verb} ${first.path}` : `${verb} ${first.path} and ${rest.length} more`;
}

function report(outcome: PatchOutcome): ToolOutcome {
	if (!outcome.ok) return { ok: false, reason: outcome.reason };
	const lines = outcome.changes.files.map(lineOf);
	const unsaved = outcome.unsaved.map(
		(path) =>
			`${path} had unsaved changes: the edit is in the editor and not on the disk, so commands see the old text until the user saves it.`,
	);
	return { ok: true, text: ["Changed:", ...lines, ...unsaved].join("\n"), changes: outcome.changes };
}

const LETTERS = { add: "A", update: "M", delete: "D", move: "M" } as const;

function lineOf({ operation, path, movedTo, added, removed }: FileChange): string {
	const name = movedTo === undefined ? path : `${path} -> ${movedTo.path}`;
	return `${LETTERS[operation]} ${name} (+${added} -${removed})`;
}
