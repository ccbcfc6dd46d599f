/**
 * In the rows of a pick the editor draws an icon in place of `$(name)`, and nothing at all if it knows none of that name:
 * a command with `$(pwd)` would look like another one. Text of others is shown as it is.
 */
export function withoutIcons(text: string): string {
	return text.replaceAll(/\$\((?=[A-Za-z0-9-]+(?:~[A-Za-z]+)?\))/g, "\\$(");
}
