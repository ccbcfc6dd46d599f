import * as vscode from "vscode";
import { commitMessage, MAX_DIFF_CHARS } from "../../../agent-host/protocol/thread/aside.ts";
import { t } from "../../../l10n/t.ts";
import { cutDiff } from "../../attach/diff-text.ts";
import { openRepositories, type Repository, readRoot } from "../../attach/git.ts";
import type { Parts } from "../parts.ts";

const SUBJECTS = 10;
const MAX_SUBJECT_CHARS = 200;

/** Writes a commit message for the staged changes, or for all if none is staged, into the box of Source Control. */
export async function writeCommitMessage({ host, panel }: Parts, ...chosen: readonly unknown[]): Promise<void> {
	const repository = await findRepository(chosen[0]);
	const staged = await repository.diff(true);
	const diff = staged.trim() === "" ? await repository.diff(false) : staged;
	if (diff.trim() === "") throw new Error(t("No changes to describe."));
	const before = repository.inputBox.value;
	const options = {
		location: vscode.ProgressLocation.SourceControl,
		title: t("Writing the commit message"),
		cancellable: true,
	};
	await vscode.window.withProgress(options, async (_, token) => {
		const threadId = panel.threadId();
		const params = { diff: cutDiff(diff, MAX_DIFF_CHARS), subjects: await readSubjects(repository) };
		const { text } = await host.request(
			commitMessage,
			{ ...params, ...(threadId !== undefined && { threadId }) },
			{ token },
		);
		if (token.isCancellationRequested) return;
		// What the user has written meanwhile is theirs.
		if (repository.inputBox.value !== before)
			throw new Error(t("The commit message was changed meanwhile, so it was left as it is."));
		repository.inputBox.value = text;
	});
}

async function findRepository(from: unknown): Promise<Repository> {
	const repositories = await openRepositories();
	const root = readRoot(from);
	// What a button belongs to may be closed by now; another repository's changes are not meant.
	const found =
		root === undefined
			? (repositories.find(({ ui }) => ui.selected) ?? repositories[0])
			: repositories.find(({ rootUri }) => rootUri.toString() === root.toString());
	if (found === undefined) throw new Error(t("No Git repository found."));
	return found;
}

/** A repository without commits has no style to follow. */
async function readSubjects(repository: Repository): Promise<string[]> {
	const commits = await repository.log({ maxEntries: SUBJECTS }).catch(() => []);
	return commits.map(({ message }) => (message.split("\n")[0] ?? "").slice(0, MAX_SUBJECT_CHARS));
}
