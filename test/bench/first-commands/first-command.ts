/** What a person or an agent runs first with a toolchain. All texts are for a POSIX shell that starts in an empty project. */
export interface FirstCommand {
	readonly toolchain: string;
	/** Prints its version; when that fails, it is not installed. */
	readonly version: string;
	/** Makes the project and fills the caches in the home folder, as earlier work would have, outside the sandbox. */
	readonly prepare?: string;
	readonly command: string;
}

/** A file of the project, or below the home folder with `~/`. */
export function file(path: string, ...lines: readonly string[]): string {
	const folder = path.includes("/") ? `mkdir -p ${path.slice(0, path.lastIndexOf("/"))} && ` : "";
	return `${folder}cat > ${path} <<'END'\n${lines.join("\n")}\nEND\n`;
}
