import { isAbsolute, resolve } from "node:path";
import { readLoosely } from "./loose-words.ts";

/** Where a command works, as far as its words tell. */
export interface Moves {
	/** The folders that it changes to, one after the other. */
	readonly folders: readonly string[];
	/** What else its words may name, from the folder that it is in by then. */
	readonly named: readonly string[];
	/** Whether only the shell knows where it changes to, or what a word is that may tell a program where to work. */
	readonly isOpen: boolean;
}

/** Only for folders of rules: what is read here says what a rule is about, never that a command is harmless. */
export function readMoves(command: string | readonly string[], cwd: string): Moves {
	const script = typeof command === "string" ? readLoosely(command) : { commands: [command], assigned: [] };
	if (script === undefined) return { folders: [], named: [], isOpen: true };
	const folders: string[] = [];
	const named = script.assigned.map((word) => resolve(cwd, word?.slice(word.indexOf("=") + 1) ?? ""));
	const words = [...script.assigned, ...script.commands.flat()];
	// An assignment of what only the shell knows reads as such a program.
	let isOpen = script.commands.some(([program]) => program === undefined) || words.some(setsSearch);
	let folder = cwd;
	for (const [program, ...rest] of script.commands) {
		if (folders.length + named.length > MAX_PLACES || folder.length > MAX_PATH) return { folders, named, isOpen: true };
		if (!CHANGING.has(program ?? "")) {
			const known = rest.slice(0, MAX_PLACES).filter((word) => word !== undefined);
			isOpen ||= rest.length > MAX_PLACES || rest.includes(undefined);
			named.push(...known.flatMap(pathsIn).map((path) => resolve(folder, path)));
			continue;
		}
		const targets = rest.filter((word) => word === undefined || !/^-./.test(word));
		const [target] = targets;
		if (target === undefined || target === "-" || targets.length > 1) isOpen = true;
		else {
			folder = resolve(folder, target);
			folders.push(folder);
		}
	}
	return { folders, named, isOpen };
}

/** Where a shell looks for the folder that a `cd` names. */
function setsSearch(word: string | undefined): boolean {
	return word?.startsWith("CDPATH=") ?? false;
}

/** Beyond these nobody can say where it is: a path that grows with each step would take longer and longer. */
const [MAX_PLACES, MAX_PATH] = [200, 1_000];

const CHANGING: ReadonlySet<string> = new Set(["cd", "chdir", "pushd", "popd"]);

/** A word, and what follows its option: `-Csub`, `--prefix=sub`, `-chdir=sub`. */
function pathsIn(word: string): readonly string[] {
	if (!word.startsWith("-") || isAbsolute(word)) return [word];
	const after = word.indexOf("=");
	return [word.slice(2), ...(after < 0 ? [] : [word.slice(after + 1)])];
}
