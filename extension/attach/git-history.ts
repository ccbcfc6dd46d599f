import type * as vscode from "vscode";
import { t } from "../../l10n/t.ts";
import { isInside } from "../facts/inside.ts";
import { withoutIcons } from "../facts/plain-row.ts";
import { type BranchRange, findBranchRange, findCommit } from "./branch-range.ts";
import { withoutSecrets } from "./diff-text.ts";
import { type Change, type Commit, openRepositories, type Repository } from "./git.ts";
import { toExcerpt } from "./lines.ts";
import type { Offer } from "./offer.ts";
import { looksSecret } from "./secret-files.ts";

const MAX_COMMITS = 50;
/** Maximum number of files whose changes are read; an excerpt has room for fewer anyway. */
const MAX_FILES = 50;
/** The empty tree, which the first commit is compared with. */
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/**
 * Offers the changes of the current branch since it left the one with this name, else its base. `folder`: where the
 * thread works.
 */
export async function offerBranch(folder: string | undefined, name?: string): Promise<Offer> {
	const repository = await findRepository(folder);
	return offerDiff(repository, await findBranchRange(repository, name));
}

export async function offerNamedCommit(folder: string | undefined, ref: string): Promise<Offer> {
	const repository = await findRepository(folder);
	return offerCommit(
		repository,
		await findCommit(repository, ref, t("There is no commit “{0}” in this repository.", ref)),
	);
}

/** The newest commits, each with its changes. */
export async function listRecentCommits(
	folder: string | undefined,
): Promise<readonly (vscode.QuickPickItem & { readonly offer: Offer })[]> {
	const repository = await findRepository(folder);
	const commits = await repository.log({ maxEntries: MAX_COMMITS });
	return commits.map((commit) => ({
		label: withoutIcons(commit.message.split("\n")[0] ?? ""),
		description: withoutIcons([commit.hash.slice(0, 8), commit.authorName ?? ""].join(" ")),
		offer: offerCommit(repository, commit),
	}));
}

function offerCommit(repository: Repository, { hash, parents, message }: Commit): Offer {
	const short = hash.slice(0, 8);
	const what = `commit ${short}: ${message.trim()}`;
	const [from] = parents;
	return from === undefined
		? offerFirstCommit(repository, { label: short, what, to: hash })
		: offerDiff(repository, { label: short, what, from, to: hash });
}

/** The repository of a folder, the innermost if one is in another; else the first one. */
async function findRepository(folder: string | undefined): Promise<Repository> {
	const repositories = await openRepositories();
	const around = repositories.filter(
		({ rootUri: { fsPath: root } }) => folder !== undefined && (folder === root || isInside(folder, root)),
	);
	const innermost = around.toSorted((a, b) => b.rootUri.fsPath.length - a.rootUri.fsPath.length)[0];
	const found = innermost ?? repositories[0];
	if (found === undefined) throw new Error(t("No Git repository found."));
	return found;
}

function offerDiff(repository: Repository, { label, what, from, to }: BranchRange): Offer {
	return {
		key: `changes ${from} ${to}`,
		kind: "changes",
		label,
		title: what,
		read: async () => {
			const changes = await repository.diffBetween(from, to);
			const paths = changes.slice(0, MAX_FILES).map(({ uri }) => uri.fsPath);
			const texts = await Promise.all(paths.map((path) => repository.diffBetween(from, to, path)));
			return toExcerpt(`changes of ${what}, files: ${changes.length}`, withoutSecrets(texts.join("\n")));
		},
	};
}

/** All files of the first commit as additions: Git's API compares nothing with the empty tree but names. */
function offerFirstCommit(
	repository: Repository,
	{ label, what, to }: Readonly<Record<"label" | "what" | "to", string>>,
): Offer {
	return {
		key: `changes ${to}`,
		kind: "changes",
		label,
		title: what,
		read: async () => {
			const changes = await listAdded(repository, to);
			const paths = changes.slice(0, MAX_FILES).map(({ uri }) => uri.fsPath);
			const texts = await Promise.all(paths.map((path) => describeAdded(repository, to, path)));
			const words =
				texts.length === 0 ? `The first commit of the repository. Read it with: git show ${to}` : texts.join("\n");
			return toExcerpt(`changes of ${what}, files: ${changes.length}`, words);
		},
	};
}

/** Where Git's API cannot compare with the empty tree, the files that are tracked now; those that came later are not in it. */
async function listAdded(repository: Repository, to: string): Promise<readonly Change[]> {
	const added = await repository.diffBetweenWithStats2?.(`${EMPTY_TREE}..${to}`).catch(() => undefined);
	if (added !== undefined && added.length > 0) return added;
	const tracked = await repository.diffIndexWith(EMPTY_TREE).catch(() => []);
	const some = tracked.slice(0, MAX_FILES);
	const texts = await Promise.all(some.map(({ uri }) => repository.show(to, uri.fsPath).catch(() => undefined)));
	return some.filter((_, index) => texts[index] !== undefined);
}

async function describeAdded(repository: Repository, commit: string, path: string): Promise<string> {
	if (looksSecret(path)) return `+++ ${path} (contents left out)`;
	// Not every file is text.
	const text = await repository.show(commit, path).catch(() => undefined);
	if (text === undefined) return `+++ ${path} (not text)`;
	return [
		`+++ ${path}`,
		...text
			.trimEnd()
			.split("\n")
			.map((line) => `+${line}`),
	].join("\n");
}
