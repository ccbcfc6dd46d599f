/** One protection, and how to switch it off. */
export interface Mutation {
	/** What is switched off; the name it has in docs/mutations.md. */
	readonly protection: string;
	readonly file: string;
	/** Must be in the file exactly once. */
	readonly find: string;
	readonly replace: string;
	/** The one that is most likely to notice, and fastest, first. */
	readonly tests: readonly string[];
}

/** The file without its protection. */
export function weaken({ protection, file, find, replace }: Mutation, read: (file: string) => string): string {
	const parts = read(file).split(find);
	if (parts.length !== 2) throw new Error(`${protection}: its text is ${parts.length - 1} times in ${file}.`);
	return parts.join(replace);
}
