import type * as vscode from "vscode";
import { countOf, t } from "../../l10n/t.ts";
import { withoutSecrets } from "./diff-text.ts";
import { openRepositories, type Repository } from "./git.ts";
import { toExcerpt } from "./lines.ts";
import type { Offer } from "./offer.ts";

const MAX_NAMES = 200;

/**
 * Offers the uncommitted changes of the repository at this root, else of all; undefined if there are none, or if Git may
 * not run in an untrusted workspace.
 */
export async function offerChanges(root?: vscode.Uri): Promise<Offer | undefined> {
	const count = countFiles(await changedRepositories(root));
	if (count === 0) return undefined;
	const words = countOf(count, "{0} changed file", "{0} changed files");
	return {
		key: `changes ${root ?? ""} ${count}`,
		kind: "changes",
		label: words,
		title: t("{0} (uncommitted)", words),
		read: async () => {
			const repositories = await changedRepositories(root);
			if (repositories.length === 0)
				throw new Error(t("An attachment is no longer available. Remove it and add it again."));
			const texts = await Promise.all(repositories.map(describeChanges));
			return toExcerpt(`uncommitted changes, files: ${countFiles(repositories)}`, texts.join("\n\n"));
		},
	};
}

async function changedRepositories(root: vscode.Uri | undefined): Promise<readonly Repository[]> {
	const isMeant = ({ rootUri }: Repository) => root === undefined || rootUri.toString() === root.toString();
	return (await openRepositories()).filter((one) => isMeant(one) && changedFiles(one).size > 0);
}

function countFiles(repositories: readonly Repository[]): number {
	return repositories.reduce((sum, repository) => sum + changedFiles(repository).size, 0);
}

function changedFiles({ state }: Repository): ReadonlySet<string> {
	const changes = [...state.indexChanges, ...state.workingTreeChanges, ...(state.untrackedChanges ?? [])];
	return new Set(changes.map(({ uri }) => uri.fsPath));
}

async function describeChanges(repository: Repository): Promise<string> {
	const [staged, unstaged] = await Promise.all([repository.diff(true), repository.diff(false)]);
	const names = [...changedFiles(repository)].slice(0, MAX_NAMES).map((path) => `- ${path}`);
	return [`Changed in ${repository.rootUri.fsPath}:`, ...names, withoutSecrets(staged), withoutSecrets(unstaged)]
		.filter((part) => part !== "")
		.join("\n");
}
