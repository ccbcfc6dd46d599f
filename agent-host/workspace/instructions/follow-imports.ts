import { dirname, isAbsolute, resolve } from "node:path";
import type { InstructionFile } from "../../envelope/envelope.ts";
import { isInside } from "../../permissions/reach/reach.ts";
import type { Readable } from "../files/readable.ts";
import { lookAtName } from "../files/small-file.ts";
import { type LoadedFile, loadFile } from "./load-file.ts";

/** Limits for the imports of one file: files that import files, files in all, and their characters. */
const [MAX_HOPS, MAX_IMPORTS, MAX_IMPORTED_CHARS] = [4, 20, 65_536];
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const INLINE_CODE = /`[^`]*`/g;
const [OPENS, CLOSES] = [/^[([{<"'*_]+/, /(?<![.,;:!?'"*_\])}>])[.,;:!?'"*_\])}>]+$/];

/** The paths that a text imports as `@path`, outside code. An address such as me@example.org is none. */
export function listImports(text: string): readonly string[] {
	const paths = new Set<string>();
	let fence: string | undefined;
	for (const line of text.split("\n")) {
		const [, mark] = FENCE.exec(line) ?? [];
		if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) {
			fence = fence === undefined ? mark : undefined;
		} else if (fence === undefined) {
			for (const word of line.replaceAll(INLINE_CODE, " ").split(/\s/)) {
				const bare = word.replace(OPENS, "");
				if (bare.startsWith("@")) paths.add(bare.slice(1).replace(CLOSES, ""));
			}
		}
	}
	paths.delete("");
	return [...paths];
}

/**
 * A file and what it imports, each once and in the order of the text. A name that is no file is a word like others.
 *
 * @param within No import leads out of this folder.
 * @param used Paths that are loaded already; those of this file are added.
 */
export async function followImports(
	file: InstructionFile,
	within: string,
	readable: Readable,
	used: Set<string>,
): Promise<readonly LoadedFile[]> {
	const loaded: LoadedFile[] = [{ file }];
	let chars = 0;
	const follow = async (importer: InstructionFile, hops: number): Promise<void> => {
		for (const name of listImports(importer.text)) {
			const path = isAbsolute(name) ? name : resolve(dirname(importer.path), name);
			if (used.has(path) || name.startsWith("~")) continue;
			if (!isInside(path, within)) {
				if ((await lookAtName(path)) !== "none")
					loaded.push({ problem: refuse(importer, name, `it is outside ${within}`) });
				continue;
			}
			const read = await loadFile(path, file.origin, readable);
			if (read === undefined) continue;
			const tooMuch = describeExcess(hops, loaded.length, chars + (read.file?.text.length ?? 0));
			if (tooMuch !== undefined) {
				loaded.push({ problem: refuse(importer, name, tooMuch) });
				continue;
			}
			used.add(path);
			chars += read.file?.text.length ?? 0;
			loaded.push(read);
			if (read.file !== undefined) await follow(read.file, hops + 1);
		}
	};
	used.add(file.path);
	await follow(file, 1);
	return loaded;
}

function describeExcess(hops: number, files: number, chars: number): string | undefined {
	if (hops > MAX_HOPS) return `imports are followed ${MAX_HOPS} times`;
	if (files > MAX_IMPORTS) return `one file can import ${MAX_IMPORTS} others`;
	return chars > MAX_IMPORTED_CHARS ? `one file can import ${MAX_IMPORTED_CHARS} characters` : undefined;
}

function refuse({ path }: InstructionFile, name: string, reason: string): string {
	return `${path} imports ${name}, which is not used: ${reason}.`;
}
