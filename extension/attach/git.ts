import * as vscode from "vscode";

/** The part of the built-in Git extension's API that we use. */
interface GitExtension {
	readonly getAPI: (version: 1) => { readonly repositories: readonly Repository[] };
}

export interface Repository {
	readonly rootUri: vscode.Uri;
	readonly state: {
		readonly HEAD: Branch | undefined;
		readonly workingTreeChanges: readonly Change[];
		readonly indexChanges: readonly Change[];
		readonly untrackedChanges?: readonly Change[];
	};
	/** Whether Source Control shows it. */
	readonly ui: { readonly selected: boolean };
	/** The box for the commit message. */
	readonly inputBox: { value: string };
	readonly diff: (cached?: boolean) => Promise<string>;
	readonly log: (options: { readonly maxEntries: number }) => Promise<readonly Commit[]>;
	/** The commit that a name stands for; rejects if there is none. */
	readonly getCommit: (ref: string) => Promise<Commit>;
	/** Changed files between two commits, or with a path, the diff of that file. */
	readonly diffBetween: {
		(from: string, to: string): Promise<readonly Change[]>;
		(from: string, to: string, path: string): Promise<string>;
	};
	/** The text of a file at a commit. */
	readonly show: (commit: string, path: string) => Promise<string>;
	/** Unlike `diffBetween`, takes a range as Git writes it, also one from the empty tree. Not in every release. */
	readonly diffBetweenWithStats2?: (range: string) => Promise<readonly Change[]>;
	/** The files in the index that differ from a commit or tree. */
	readonly diffIndexWith: (ref: string) => Promise<readonly Change[]>;
	readonly getMergeBase: (one: string, other: string) => Promise<string | undefined>;
	readonly getBranchBase: (name: string) => Promise<Branch | undefined>;
}

export interface Change {
	readonly uri: vscode.Uri;
}

export interface Branch {
	readonly name?: string;
	readonly remote?: string;
	/** The branch of a server that it follows. */
	readonly upstream?: { readonly remote: string; readonly name: string };
	readonly commit?: string;
}

export interface Commit {
	readonly hash: string;
	readonly message: string;
	readonly parents: readonly string[];
	readonly authorName?: string;
}

/** Open repositories; none if Git may not run in an untrusted workspace. */
export async function openRepositories(): Promise<readonly Repository[]> {
	if (!vscode.workspace.isTrusted) return [];
	const extension = vscode.extensions.getExtension<GitExtension>("vscode.git");
	if (extension === undefined) return [];
	try {
		// Must be called as a method of the extension's object.
		const git = extension.isActive ? extension.exports : await extension.activate();
		return git.getAPI(1).repositories;
	} catch {
		// Git is disabled in the settings.
		return [];
	}
}

/** The root of the repository that a button of Source Control belongs to. */
export function readRoot(from: unknown): vscode.Uri | undefined {
	const root = typeof from === "object" && from !== null && "rootUri" in from ? from.rootUri : undefined;
	return root instanceof vscode.Uri ? root : undefined;
}
