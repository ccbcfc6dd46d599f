/** The name of a commit or a branch. */
export const MAX_REF_CHARS = 200;

/** Letters, digits and what names of commits and branches are made of, such as `HEAD~2` or `feature/a`. */
const PLAIN = /^[\p{L}\p{N}_@][\p{L}\p{N}_./@{}^~+#=-]*$/u;

/**
 * Whether a text can be the name of one commit or branch. It is given to Git as data, so it must not look like an option
 * (`-x`), a range (`a..b`) or a file in a commit (`a:b`).
 */
export function isGitRef(text: string): boolean {
	return text.length <= MAX_REF_CHARS && PLAIN.test(text) && !text.includes("..");
}
