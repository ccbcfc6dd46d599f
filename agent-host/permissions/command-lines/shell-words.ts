/** A longer command is not parsed but needs an approval. */
const MAX_CHARS = 10_000;

/**
 * The words of a shell string if they are exactly what the shell would run: one simple command of literal words.
 * Returns undefined for anything that the shell would expand, redirect, assign, chain or look up differently, because
 * then we cannot know in advance what runs. This is an allow-list: only what is known to be plain is accepted.
 */
export function shellWords(text: string): readonly string[] | undefined {
	if (text.length > MAX_CHARS || !text.isWellFormed() || /\p{Cc}/u.test(text.replaceAll("\t", " "))) return undefined;
	const words: string[] = [];
	// Only blanks separate words; adjacent parts form one word.
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

/**
 * Single quotes preserve everything. Double quotes preserve all but `$`, `` ` ``, `\` and `!`. Few bare characters are
 * allowed.
 */
const PART = /([ \t]+)|'([^']*)'|"([^"$`\\!]*)"|([A-Za-z0-9_./:=@%+,-]+)/y;

/** Excludes shell keywords, assignments (`A=b`), jobs (`%1`) and expansions of other shells (`=ls`). */
function isPlainProgram(program: string): boolean {
	return /^[A-Za-z0-9_./+@:,-][A-Za-z0-9_./+@:,%-]*$/.test(program) && !SHELL_WORDS.has(program);
}

/** Reserved words, and builtins that run something else, change the shell, or have no program of the same name. */
const SHELL_WORDS = new Set(
	[
		"if then else elif fi case esac for select while until do done in function time coproc",
		"eval exec source . command builtin trap alias unalias export declare typeset local readonly set unset shopt",
		"shift let read readarray mapfile getopts hash enable type bind caller compgen complete compopt dirs pushd popd",
		"cd exit return break continue logout fg bg jobs disown suspend wait times ulimit umask fc history help :",
	].flatMap((line) => line.split(" ")),
);

/** Quotes a word for a shell: different words look different, and none looks like two. */
export function quoteWord(word: string): string {
	return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
