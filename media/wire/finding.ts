/** The name of a finding, the same in every review of a workspace: its file and what it says. */
export function nameFinding({ path, title }: { readonly path: string; readonly title: string }): string {
	return `${path.replaceAll("\\", "/").replace(/^\.\//, "")}: ${title.trim().toLowerCase()}`;
}
