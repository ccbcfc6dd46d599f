/** Quotes a word for a shell: no two words look the same, and none looks like two. */
export function quoteWord(word: string): string {
	return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
