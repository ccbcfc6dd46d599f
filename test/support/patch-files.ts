import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { PatchOutcome } from "../../agent-host/patch/change-set.ts";
import { parsePatch } from "../../agent-host/patch/grammar.ts";
import { type ApplyOptions, applyPatchToFiles } from "../../agent-host/workspace/apply/apply-files.ts";
import { NO_JOURNAL } from "../../agent-host/workspace/apply/journal.ts";

/** Lines of operations as a patch. */
export function aPatch(...lines: readonly string[]): string {
	return ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
}

/** Applies a patch below a folder, where all may be written unless the options say otherwise. */
export function patchFiles(cwd: string, patch: string, options: Partial<ApplyOptions> = {}): Promise<PatchOutcome> {
	const parsed = parsePatch(patch);
	assert.ok(parsed.ok, parsed.ok ? "" : parsed.reason);
	const writable = { roots: [cwd], mayWrite: () => undefined };
	return applyPatchToFiles(parsed.patch, { cwd, writable, journal: NO_JOURNAL, id: randomUUID(), ...options });
}
