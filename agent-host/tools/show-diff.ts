import type { PatchedFile } from "./tool-ports.ts";

/** All changes as readable text: each file with its hunks, and hashes for content that cannot be shown. */
export function showDiff(files: readonly PatchedFile[]): string {
	return files.map(showFile).join("\n");
}

function showFile(file: PatchedFile): string {
	const { path, resolved, operation, movedTo, hunks, binary } = file;
	const name = movedTo === undefined ? path : `${path} -> ${movedTo.path} (${movedTo.resolved})`;
	const head = resolved === path ? `${operation} ${name}` : `${operation} ${name} (${resolved})`;
	const body = hunks.map(({ from, to, removed, added, unended = [] }) =>
		[
			`@@ -${from},${removed.length} +${to},${added.length} @@`,
			...removed.map((line) => `-${line}`),
			...(unended.includes("removed") ? [UNENDED] : []),
			...added.map((line) => `+${line}`),
			...(unended.includes("added") ? [UNENDED] : []),
		].join("\n"),
	);
	return [head, ...body, ...(binary ? [`[not text: ${formatHashes(file)}]`] : [])].join("\n");
}

/** As in Git's diffs. No line of a file begins like this, because each has a sign before it. */
const UNENDED = "\\ No newline at end of file";

function formatHashes({ before, after, overwritten }: PatchedFile): string {
	const hashes = [
		["before", before],
		["after", after],
		["replaced", overwritten],
	] as const;
	return hashes.flatMap(([what, hash]) => (hash === undefined ? [] : [`${what} sha256 ${hash}`])).join(", ");
}
