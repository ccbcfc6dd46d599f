import { resolve } from "node:path";
import { shellWords } from "./shell-words.ts";

/** A longer chain is not examined but needs an approval. */
const MAX_PARTS = 20;

/**
 * The words of each command of a chain `a && b && c`, or of a single command. Undefined if any part is not plainly
 * literal: then nothing is known about the whole. `cd` counts as plain, because it only changes the folder.
 */
export function plainChain(command: string | readonly string[]): readonly (readonly string[])[] | undefined {
	if (typeof command !== "string") return command.length === 0 ? undefined : [command];
	const parts = splitAtAnd(command).map((part) => readMove(part) ?? shellWords(part));
	const plain = parts.filter((words) => words !== undefined);
	return plain.length === parts.length && parts.length <= MAX_PARTS ? plain : undefined;
}

/** The folders that a plain chain changes to, one after the other. */
export function foldersInChain(command: string | readonly string[], cwd: string): readonly string[] {
	const folders: string[] = [];
	for (const [program, target = ""] of plainChain(command) ?? []) {
		if (program === "cd") folders.push(resolve(folders.at(-1) ?? cwd, target));
	}
	return folders;
}

function splitAtAnd(text: string): readonly string[] {
	const parts = [""];
	for (const [piece] of text.matchAll(PIECE)) {
		if (piece === "&&") parts.push("");
		else parts.push(`${parts.pop() ?? ""}${piece}`);
	}
	return parts;
}

// A quote that a backslash would escape splits differently in a shell; such a part is never plain.
const PIECE = /'[^']*'|"[^"]*"|&&|[^'"&]+|['"&]/g;

/** `cd` with one literal folder. As a builtin it is not a plain program, so another name stands for it. */
function readMove(part: string): readonly string[] | undefined {
	if (!/^[ \t]*cd[ \t]/.test(part)) return undefined;
	const [, folder = "-", ...rest] = shellWords(part.replace("cd", "move")) ?? [];
	return rest.length === 0 && !folder.startsWith("-") ? ["cd", folder] : undefined;
}
