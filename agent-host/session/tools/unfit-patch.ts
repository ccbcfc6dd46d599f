import type { Operation, Patch } from "../../patch/grammar.ts";
import type { DescribedPatch, PatchedFile } from "../../tools/tool-ports.ts";
import { hashBytes } from "../../workspace/apply/hash-bytes.ts";
import type { Writable } from "../../workspace/apply/place.ts";

/** Describes a patch that does not fit its files for an approval: what it asks for, and nothing of their content. */
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
			...{ path: operation.path, resolved, ...countLines(operation), hunks: [] },
			operation: movedTo === undefined ? operation.kind : "move",
			...(movedTo === undefined ? {} : { movedTo }),
			...(reason === undefined ? {} : { protected: reason }),
		};
	});
	const asked = JSON.stringify(patch.operations, undefined, "\t");
	const digest = `unfit ${hashBytes(Buffer.from(asked))}`;
	return { ok: true, files, digest, unfit: asked };
}

function countLines(operation: Operation): Pick<PatchedFile, "added" | "removed"> {
	return { added: operation.kind === "add" ? operation.lines.length : 0, removed: 0 };
}
