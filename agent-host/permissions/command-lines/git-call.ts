import { plainChain } from "./command-chain.ts";

/** Git commands that change the index, branches and history of a repository, and need nothing else. */
const WRITING: ReadonlySet<string> = new Set(
	"add rm mv commit restore reset checkout switch branch tag stash merge cherry-pick revert".split(" "),
);
const READING: ReadonlySet<string> = new Set("status diff log show rev-parse ls-files describe blame".split(" "));

/**
 * Whether a command is a plain Git call that writes to its repository, or a chain of such calls (`git add . && git
 * commit`). Options before the Git command disqualify it: they select other repositories and configuration.
 */
export function writesRepository(command: string | readonly string[]): boolean {
	const names = plainChain(command)?.map(readGitCommand) ?? [];
	const isPlain = names.every((name) => name !== undefined && (WRITING.has(name) || READING.has(name)));
	return isPlain && names.some((name) => name !== undefined && WRITING.has(name));
}

function readGitCommand([program, ...rest]: readonly string[]): string | undefined {
	if (program !== "git") return undefined;
	return rest[0] === "--no-pager" ? rest[1] : rest[0];
}
