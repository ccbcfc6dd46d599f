import * as vscode from "vscode";
import { countOf, t } from "../../l10n/t.ts";
import { excerptOf } from "./lines.ts";
import type { Offer } from "./offer.ts";

/** What is used of the interface that the editor's own Git extension offers to others. */
interface GitExtension {
	readonly getAPI: (version: 1) => { readonly repositories: readonly Repository[] };
}

interface Repository {
	readonly rootUri: vscode.Uri;
	readonly state: {
		readonly workingTreeChanges: readonly Change[];
		readonly indexChanges: readonly Change[];
		readonly untrackedChanges?: readonly Change[];
	};
	readonly diff: (cached?: boolean) => Promise<string>;
}

interface Change {
	readonly uri: vscode.Uri;
}

const MAX_NAMES = 200;

/** What is not committed yet; undefined when nothing is, or when Git may not run because the workspace is not trusted. */
export async function changesOffer(): Promise<Offer | undefined> {
	const repositories = await changedRepositories();
	const count = repositories.reduce((sum, repository) => sum + changedFiles(repository).size, 0);
	if (count === 0) return undefined;
	const words = countOf(count, "{0} changed file", "{0} changed files");
	return {
		key: `changes ${count}`,
		kind: "changes",
		label: words,
		title: t("{0}, not committed", words),
		read: async () => {
			const texts = await Promise.all(repositories.map(describeChanges));
			return excerptOf(`uncommitted changes, files: ${count}`, texts.join("\n\n"));
		},
	};
}

async function changedRepositories(): Promise<readonly Repository[]> {
	if (!vscode.workspace.isTrusted) return [];
	const extension = vscode.extensions.getExtension<GitExtension>("vscode.git");
	if (extension === undefined) return [];
	try {
		// Called on the extension's own object, which it needs.
		const git = extension.isActive ? extension.exports : await extension.activate();
		return git.getAPI(1).repositories.filter((repository) => changedFiles(repository).size > 0);
	} catch {
		// The user has switched Git off in the settings: then there is nothing to offer.
		return [];
	}
}

function changedFiles({ state }: Repository): ReadonlySet<string> {
	const changes = [...state.indexChanges, ...state.workingTreeChanges, ...(state.untrackedChanges ?? [])];
	return new Set(changes.map(({ uri }) => uri.fsPath));
}

async function describeChanges(repository: Repository): Promise<string> {
	const [staged, unstaged] = await Promise.all([repository.diff(true), repository.diff(false)]);
	const names = [...changedFiles(repository)].slice(0, MAX_NAMES).map((path) => `- ${path}`);
	return [`Changed in ${repository.rootUri.fsPath}:`, ...names, staged, unstaged]
		.filter((part) => part !== "")
		.join("\n");
}
