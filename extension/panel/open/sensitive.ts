/**
 * Whether a path names something that other programs run or obey: a name that begins with a dot anywhere on the way, a
 * workspace file, what agents are told to do, or what a shell does on entering the folder. Compared as some file systems do, without case and hidden characters.
 */
export function isSensitive(path: string): boolean {
	return path.split(/[\\/]/).some((part) => {
		const name = part
			.normalize("NFKC")
			.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
			.toLowerCase();
		return /^\.[^.]|^\.\.[^.]|\.code-workspace$|^(?:agents|claude|gemini).*\.md$|^mise.*\.toml$/.test(name);
	});
}
