/** A command longer than this is not taken apart; it is asked about. */
const MAX_CHARS = 10_000;

/**
 * The words of a shell string, when they are what the shell would run, character for character: one simple command of
 * literal words. Anything the shell would expand, redirect, assign, chain or look up differently means that nobody can say
 * beforehand what runs, and gives nothing. An allow-list: what is not known to be plain is not plain.
 */
export function shellWords(text: string): readonly string[] | undefined {
	if (text.length > MAX_CHARS || !text.isWellFormed() || /\p{Cc}/u.test(text.replaceAll("\t", " "))) return undefined;
	const words: string[] = [];
	// Two words are told apart by blanks and by nothing else; parts that touch each other are one word.
	let isOpen = false;
	let at = 0;
	while (at < text.length) {
		PART.lastIndex = at;
		const [part = "", blanks, single = "", double = "", plain = ""] = PART.exec(text) ?? [];
		if (part === "") return undefined;
		at += part.length;
		if (blanks === undefined) words.push((isOpen ? (words.pop() ?? "") : "") + single + double + plain);
		isOpen = blanks === undefined;
	}
	const [program] = words;
	return program === undefined || !isPlainProgram(program) ? undefined : words;
}

/** Single quotes keep everything. Double quotes keep all but `$`, `` ` ``, `\` and `!`. Bare characters are few. */
const PART = /([ \t]+)|'([^']*)'|"([^"$`\\!]*)"|([A-Za-z0-9_./:=@%+,-]+)/y;

/** Not the shell's own words, an assignment (`A=b`), a job (`%1`) or an expansion of another shell's (`=ls`). */
function isPlainProgram(program: string): boolean {
	return /^[A-Za-z0-9_./+@:,-][A-Za-z0-9_./+@:,%-]*$/.test(program) && !SHELL_WORDS.has(program);
}

/** Reserved words, and builtins that run something else, change the shell, or are no program of their own. */
const SHELL_WORDS = new Set(
	[
		"if then else elif fi case esac for select while until do done in function time coproc",
		"eval exec source . command builtin trap alias unalias export declare typeset local readonly set unset shopt",
		"shift let read readarray mapfile getopts hash enable type bind caller compgen complete compopt dirs pushd popd",
		"cd exit return break continue logout fg bg jobs disown suspend wait times ulimit umask fc history help :",
	].flatMap((line) => line.split(" ")),
);

/** A word as a shell would have to be given it: no two words are written alike, and none looks like two. */
export function quoteWord(word: string): string {
	return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
