import { join } from "node:path";
import { readHashed, readTree } from "../../workspace/files/read-tree.ts";

/** Longer ones, and those beyond the sum, are shown by their hash alone. */
const MAX_FILE_BYTES = 65_536;
const MAX_CHARS = 1_000_000;

/** All files of a plugin as one text, so that another version can be compared with what the user agreed to. */
export async function showPluginFiles(folder: string): Promise<string> {
	const tree = await readTree(folder, () => true);
	if ("problem" in tree) return tree.problem;
	const shown: string[] = [];
	let left = MAX_CHARS;
	for (const { path, bytes, hash, isExecutable } of tree.files) {
		const isShort = bytes <= Math.min(MAX_FILE_BYTES, left);
		const read = isShort ? await readHashed(join(folder, path), hash, () => true) : undefined;
		const text = read?.ok && !read.text.includes("\0") ? read.text : `(SHA-256 ${hash})`;
		left -= text.length;
		shown.push(`=== ${path}${isExecutable ? " (executable)" : ""}\n${text}`);
	}
	return shown.join("\n");
}
