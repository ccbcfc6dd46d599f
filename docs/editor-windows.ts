import manifest from "../package.json" with { type: "json" };

/** The part of the page about windows whose files are elsewhere, as the manifest has it. */
export function editorWindowsPart(): readonly string[] {
	return [
		"## Remote windows, several folders and the web",
		"",
		"| Window | What works |",
		"| --- | --- |",
		...rows().map(([window, works]) => `| ${window} | ${works} |`),
		"",
	];
}

function rows(): readonly (readonly [window: string, works: string])[] {
	const { extensionKind, capabilities } = manifest;
	const runsWithFiles = extensionKind.join() === "workspace";
	const hasWebPart = "browser" in manifest;
	return [
		[
			"Remote-SSH, WSL, dev container, Codespaces, code-server",
			runsWithFiles
				? "Everything. Extension and agent host run where the files are, and so do commands and their sandbox; every editor test runs in such a window."
				: "Only what the machine of the window can do.",
		],
		[
			"Several folders",
			"A thread works in one of them, which can be changed, and reads and writes all. Paths in another folder are shown in full.",
		],
		[
			"Restricted Mode",
			"Reading and answering. When you trust the workspace, open threads continue without a reload. A running turn keeps the permissions it began with; the next one gets more, which the model is told.",
		],
		[
			"A virtual workspace, such as a repository that was not cloned",
			capabilities.virtualWorkspaces.supported === "limited"
				? "Questions. No file is read or written and no command runs, which the panel says. Local folders in the same window work as usual."
				: "Nothing.",
		],
		[
			"vscode.dev, github.dev",
			hasWebPart
				? "Questions."
				: "Nothing: the agent host is a process, which a browser cannot start. The editor says that the extension is not available there and offers to continue in Codespaces or on the desktop.",
		],
	];
}
