import type { Operation, Patch } from "../../patch/grammar.ts";
import type { DescribedPatch, PatchedFile } from "../../tools/tool.ts";
import { hashOf } from "../../workspace/apply/journal.ts";
import type { Writable } from "../../workspace/apply/place.ts";

/** A patch that does not fit its files, as a person decides on it: what it asks for, and nothing of what is there. */
export function describeUnfit(
	patch: Patch,
	resolvedOf: (path: string) => string,
	{ protectedBy }: Writable,
): Extract<DescribedPatch, { readonly ok: true }> {
	const files = patch.operations.map((operation): PatchedFile => {
		const resolved = resolvedOf(operation.path);
		const to = operation.kind === "update" ? operation.movedTo : undefined;
		const movedTo = to === undefined ? undefined : { path: to, resolved: resolvedOf(to) };
		const reason = protectedBy?.(resolved) ?? (movedTo && protectedBy?.(movedTo.resolved));
		return {
			...{ path: operation.path, resolved, ...countsOf(operation), hunks: [] },
			operation: movedTo === undefined ? operation.kind : "move",
			...(movedTo === undefined ? {} : { movedTo }),
			...(reason === undefined ? {} : { protected: reason }),
		};
	});
	const asked = JSON.stringify(patch.operations, undefined, "\t");
	const digest = `unfit ${hashOf(Buffer.from(asked))}`;
	return { ok: true, files, digest, unfit: asked };
}

function countsOf(operation: Operation): Pick<PatchedFile, "added" | "removed"> {
	return { added: operation.kind === "add" ? operation.lines.length : 0, removed: 0 };
}
