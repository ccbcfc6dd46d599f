import * as z from "zod";
import type { FileChange, PatchOutcome } from "../patch/change-set.ts";
import { MAX_PATCH_CHARS, type Operation, type ParsedPatch, parsePatch } from "../patch/grammar.ts";
import { PATCH_GRAMMAR } from "../patch/lark.ts";
import { showDiff } from "./show-diff.ts";
import {
	type CallFindings,
	type DescribedPatch,
	defineTool,
	type JudgedPatch,
	type PatchedFile,
	type Run,
	type ToolOutcome,
} from "./tool.ts";

export const applyPatch = defineTool({
	name: "apply_patch",
	description: [
		"Change files with a patch, applied completely or not at all. Format:",
		"*** Begin Patch",
		"*** Add File: path (followed by the new file's lines, each starting with +)",
		"*** Delete File: path",
		"*** Update File: path (optionally followed by *** Move to: path; then hunks)",
		"@@ optional line above the hunk, such as a function header",
		" context lines start with a space, removed lines with -, added lines with +",
		"*** End Patch",
		"Include about three context lines around each change. List each file once. Read a file before you change it.",
	].join("\n"),
	needs: "edit",
	kind: "fileChange",
	// Parsed once, with the call.
	input: z
		.object({ patch: z.string().min(1).max(MAX_PATCH_CHARS).describe("The whole patch") })
		.transform(({ patch }) => parsePatch(patch)),
	freeForm: { field: "patch", grammar: PATCH_GRAMMAR },
	title: writeTitle,
	async look(parsed, at, ports) {
		if (!parsed.ok) return touchesNothing(parsed.reason);
		const { patch } = parsed;
		const found = await ports.findTargets(patch, at("."));
		if (!found.ok) return touchesNothing(found.reason);
		const apply =
			(judged: JudgedPatch): Run =>
			async (signal) =>
				report(await ports.applyPatch(patch, at("."), judged, signal));
		return {
			access: { kind: "edit", targets: [...found.files] },
			show: async (signal) => {
				const described = await ports.describePatch(patch, at("."), signal);
				if (!described.ok) return { problem: described.reason };
				const subject = { kind: "patch" as const, files: described.files.map(toTarget), diff: formatDiff(described) };
				// What the user was shown is more specific than what the verdict was about.
				return { subject, run: apply({ digest: described.digest }) };
			},
			run: apply({ targets: found.targets }),
		};
	},
});

function touchesNothing(reason: string): CallFindings {
	return {
		access: { kind: "none" },
		show: async () => ({ problem: reason }),
		run: async () => ({ ok: false, reason }),
	};
}

function formatDiff({ files, unfit }: Extract<DescribedPatch, { readonly ok: true }>): string {
	if (unfit === undefined) return showDiff(files);
	return `This patch does not apply to the current files. If you allow it, nothing changes and the agent is told why.\n${unfit}`;
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

function writeTitle(parsed: ParsedPatch): string {
	const [first, ...rest]: readonly Operation[] = parsed.ok ? parsed.patch.operations : [];
	if (first === undefined) return "Patch";
	const verb = { add: "Add", update: "Edit", delete: "Delete" }[first.kind];
	return rest.length === 0 ? `${verb} ${first.path}` : `${verb} ${first.path} and ${rest.length} more`;
}

function report(outcome: PatchOutcome): ToolOutcome {
	if (!outcome.ok) return { ok: false, reason: outcome.reason };
	const lines = outcome.changes.files.map(formatLine);
	const unsaved = outcome.unsaved.map(
		(path) =>
			`${path} had unsaved changes: the edit is in the editor but not on disk, so commands see the old text until the user saves it.`,
	);
	return { ok: true, text: ["Changed:", ...lines, ...unsaved].join("\n"), changes: outcome.changes };
}

const LETTERS = { add: "A", update: "M", delete: "D", move: "M" } as const;

function formatLine({ operation, path, movedTo, added, removed }: FileChange): string {
	const name = movedTo === undefined ? path : `${path} -> ${movedTo.path}`;
	return `${LETTERS[operation]} ${name} (+${added} -${removed})`;
}
