/**
 * Whether other programs run or obey this path: any part that starts with a dot, a workspace file, agent instructions,
 * or a file that shells run on entering the folder. Compared without case and hidden characters, as some file systems
 * do.
 */
export function isSensitive(path: string): boolean {
	return path.split(/[\\/]/).some((part) => {
		const name = part
			.normalize("NFKC")
			.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
			.toLowerCase();
		return /^\.[^.]|^\.\.[^.]|\.code-workspace$|^(?:agents|claude|gemini).*\.md$|^mise.*\.toml$|^(?:agent|qwen|warp|crush|iflow|codebuddy)\.md$|^(?:opencode\.jsonc?|crush\.json|_irbrc)$/.test(
			name,
		);
	});
}
