import { countOf, t } from "../../l10n/t.ts";
import { withoutSecrets } from "./diff-text.ts";
import { openRepositories, type Repository } from "./git.ts";
import { toExcerpt } from "./lines.ts";
import type { Offer } from "./offer.ts";

const MAX_NAMES = 200;

/** Offers the uncommitted changes; undefined if there are none, or if Git may not run in an untrusted workspace. */
export async function offerChanges(): Promise<Offer | undefined> {
	const count = countFiles(await changedRepositories());
	if (count === 0) return undefined;
	const words = countOf(count, "{0} changed file", "{0} changed files");
	return {
		key: `changes ${count}`,
		kind: "changes",
		label: words,
		title: t("{0} (uncommitted)", words),
		read: async () => {
			const repositories = await changedRepositories();
			if (repositories.length === 0)
				throw new Error(t("An attachment is no longer available. Remove it and add it again."));
			const texts = await Promise.all(repositories.map(describeChanges));
			return toExcerpt(`uncommitted changes, files: ${countFiles(repositories)}`, texts.join("\n\n"));
		},
	};
}

async function changedRepositories(): Promise<readonly Repository[]> {
	return (await openRepositories()).filter((repository) => changedFiles(repository).size > 0);
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
