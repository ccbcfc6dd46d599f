import type { FileChange } from "../patch/change-set.ts";

/** Characters of a diff that a person is shown; the counts of each file are always whole. */
const MAX_DIFF_CHARS = 200_000;

/** What changes, as text to be read: each file with its hunks. */
export function showDiff(files: readonly FileChange[]): string {
	const text = files.map(showFile).join("\n");
	return text.length <= MAX_DIFF_CHARS ? text : `${text.slice(0, MAX_DIFF_CHARS)}\n[the rest is not shown]`;
}

function showFile({ path, resolved, operation, movedTo, hunks, cut }: FileChange): string {
	const name = movedTo === undefined ? path : `${path} -> ${movedTo.path} (${movedTo.resolved})`;
	const head = resolved.endsWith(path) ? `${operation} ${name}` : `${operation} ${name} (${resolved})`;
	const body = hunks.map(({ from, to, removed, added }) =>
		[
			`@@ -${from},${removed.length} +${to},${added.length} @@`,
			...removed.map((line) => `-${line}`),
			...added.map((line) => `+${line}`),
		].join("\n"),
	);
	return [head, ...body, ...(cut ? ["[more of this file is not shown]"] : [])].join("\n");
}
