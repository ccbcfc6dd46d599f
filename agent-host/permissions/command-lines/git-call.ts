import { shellWords } from "./shell-words.ts";

/** What changes the index, branches and history of a repository, and needs nothing else of it. */
const WRITING: ReadonlySet<string> = new Set(
	"add rm mv commit restore reset checkout switch branch tag stash merge cherry-pick revert".split(" "),
);
const READING: ReadonlySet<string> = new Set("status diff log show rev-parse ls-files describe blame".split(" "));

/**
 * Whether a command is a plain call of Git that writes to its repository, or a chain of such calls (`git add . && git commit`). With
 * an option before Git's own command it is none: those name other repositories and configuration.
 */
export function writesRepository(command: string | readonly string[]): boolean {
	const calls = typeof command === "string" ? chainOf(command) : [command];
	const names = calls?.map((words) => gitCommandOf(words ?? [])) ?? [];
	const isPlain = names.every((name) => name !== undefined && (WRITING.has(name) || READING.has(name)));
	return isPlain && names.some((name) => name !== undefined && WRITING.has(name));
}

function gitCommandOf([program, ...rest]: readonly string[]): string | undefined {
	if (program !== "git") return undefined;
	return rest[0] === "--no-pager" ? rest[1] : rest[0];
}

/** The words of each part between `&&`; nothing when one of them is no plain command. */
function chainOf(text: string): readonly (readonly string[] | undefined)[] {
	const parts = [""];
	for (const [piece] of text.matchAll(PIECE)) {
		if (piece === "&&") parts.push("");
		else parts.push(`${parts.pop() ?? ""}${piece}`);
	}
	return parts.map(shellWords);
}

const PIECE = /'[^']*'|"[^"]*"|&&|[^'"&]+|['"&]/g;
