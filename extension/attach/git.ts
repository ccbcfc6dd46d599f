import * as vscode from "vscode";

/** What is used of the interface that the editor's own Git extension offers to others. */
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
	readonly diff: (cached?: boolean) => Promise<string>;
	readonly log: (options: { readonly maxEntries: number }) => Promise<readonly Commit[]>;
	/** Between two commits: what changed, or with a path, how. */
	readonly diffBetween: {
		(from: string, to: string): Promise<readonly Change[]>;
		(from: string, to: string, path: string): Promise<string>;
	};
	readonly getMergeBase: (one: string, other: string) => Promise<string | undefined>;
	readonly getBranchBase: (name: string) => Promise<Branch | undefined>;
}

export interface Change {
	readonly uri: vscode.Uri;
}

export interface Branch {
	readonly name?: string;
	readonly commit?: string;
}

export interface Commit {
	readonly hash: string;
	readonly message: string;
	readonly parents: readonly string[];
	readonly authorName?: string;
}

/** Repositories that the editor has open; none when Git may not run because the workspace is not trusted. */
export async function openRepositories(): Promise<readonly Repository[]> {
	if (!vscode.workspace.isTrusted) return [];
	const extension = vscode.extensions.getExtension<GitExtension>("vscode.git");
	if (extension === undefined) return [];
	try {
		// Called on the extension's own object, which it needs.
		const git = extension.isActive ? extension.exports : await extension.activate();
		return git.getAPI(1).repositories;
	} catch {
		// The user has switched Git off in the settings: then there is nothing to offer.
		return [];
	}
}
