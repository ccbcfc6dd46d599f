import { aPatch } from "../support/patch-files.ts";

const KILO = 1_024;
const MEGA = KILO * KILO;

export interface PatchCase {
	readonly measure: string;
	readonly before: string | undefined;
	readonly patch: string;
}

export function patchCases(): readonly PatchCase[] {
	const [small, large] = [aText(250 * KILO), aText(5 * MEGA)];
	const adding = (text: string) => aPatch("*** Add File: file.ts", ...text.split("\n").map((line) => `+${line}`));
	return [
		{ measure: "500 hunks in 250 KB", before: small, patch: hunks(small, 500) },
		{ measure: "500 hunks in 5 MB", before: large, patch: hunks(large, 500) },
		{ measure: "1 hunk in 5 MB", before: large, patch: hunks(large, 1) },
		{ measure: "add 5 MB", before: undefined, patch: adding(large) },
		{ measure: "add 0.8 MB", before: undefined, patch: adding(aText(0.8 * MEGA)) },
	];
}

/** Lines of source-like text, each unlike the others. */
function aText(bytes: number): string {
	const lines: string[] = [];
	for (let size = 0; size < bytes; size += lines.at(-1)?.length ?? 0) {
		lines.push(`\tconst value${lines.length} = compute(${lines.length * 7}, "some text");\n`);
	}
	return lines.join("");
}

/** So many hunks, evenly over the file, each with a line of context. */
function hunks(text: string, count: number): string {
	const lines = text.split("\n");
	const step = Math.floor((lines.length - 2) / count);
	const parts = Array.from({ length: count }, (_, index) => {
		const at = index * step;
		return ["@@", ` ${lines[at]}`, `-${lines[at + 1]}`, `+\tchanged(${index});`];
	});
	return aPatch("*** Update File: file.ts", ...parts.flat());
}
