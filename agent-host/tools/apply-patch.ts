import * as z from "zod";
import type { FileChange, PatchOutcome } from "../patch/change-set.ts";
import { MAX_PATCH_CHARS, type Operation, type ParsedPatch, type Patch, parsePatch } from "../patch/grammar.ts";
import { PATCH_GRAMMAR } from "../patch/lark.ts";
import { type Said, say } from "../protocol/say.ts";
import { withProblems } from "./problems-after.ts";
import { showDiff } from "./show-diff.ts";
import { type CallFindings, defineTool } from "./tool.ts";
import type { DescribedPatch, JudgedPatch, PatchedFile, Run, ToolOutcome, ToolPorts } from "./tool-ports.ts";

export const applyPatch = defineTool({
	name: "apply_patch",
	description: [
		"Change files with a patch, applied completely or not at all. Format:",
		"*** Begin Patch",
		"*** Add File: path (then its lines, each starting with +)",
		"*** Delete File: path",
		"*** Update File: path (then optionally *** Move to: path; then hunks)",
		"@@ optional line above the hunk, such as a function header",
		" context lines start with a space, removed lines with -, added lines with +",
		"*** End Patch",
		"Include about three context lines. List each file once. Read a file before you change it.",
	].join("\n"),
	needs: "edit",
	kind: "fileChange",
	// Parsed once, with the call.
	input: z.object({ patch: z.string().min(1).max(MAX_PATCH_CHARS) }).transform(({ patch }) => parsePatch(patch)),
	freeForm: { field: "patch", grammar: PATCH_GRAMMAR },
	title: writeTitle,
	async look(parsed, at, ports) {
		return parsed.ok ? lookAtPatch(parsed.patch, at, ports) : touchesNothing(parsed.reason);
	},
});

/** The findings for a patch, also for one that is made of edits. */
export async function lookAtPatch(patch: Patch, at: (path: string) => string, ports: ToolPorts): Promise<CallFindings> {
	const found = await ports.findTargets(patch, at("."));
	if (!found.ok) return touchesNothing(found.reason);
	const apply =
		(judged: JudgedPatch): Run =>
		(signal) =>
			withProblems(ports, patch, at, signal, async () =>
				report(await ports.applyPatch(patch, at("."), judged, signal)),
			);
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
}

export function touchesNothing(reason: string): CallFindings {
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

/** For one file, and for several. */
const TITLES = {
	add: ["call-add-file", "call-add-files"],
	update: ["call-edit-file", "call-edit-files"],
	delete: ["call-delete-file", "call-delete-files"],
} as const;

function writeTitle(parsed: ParsedPatch): Said {
	const [first, ...rest]: readonly Operation[] = parsed.ok ? parsed.patch.operations : [];
	if (first === undefined) return say("call-patch");
	const { path } = first;
	const [one, several] = TITLES[first.kind];
	return rest.length === 0 ? say(one, { path }) : say(several, { path, more: rest.length });
}

function report(outcome: PatchOutcome): ToolOutcome & { readonly isUnsaved?: boolean } {
	if (!outcome.ok) return { ok: false, reason: outcome.reason };
	const lines = outcome.changes.files.map(formatLine);
	const unsaved = outcome.unsaved.map(
		(path) =>
			`${path} had unsaved changes: the edit is in the editor but not on disk, so commands see the old text until the user saves it.`,
	);
	const text = ["Changed:", ...lines, ...unsaved].join("\n");
	return { ok: true, text, changes: outcome.changes, isUnsaved: unsaved.length > 0 };
}

const LETTERS = { add: "A", update: "M", delete: "D", move: "M" } as const;

function formatLine({ operation, path, movedTo, added, removed }: FileChange): string {
	const name = movedTo === undefined ? path : `${path} -> ${movedTo.path}`;
	return `${LETTERS[operation]} ${name} (+${added} -${removed})`;
}
