import * as vscode from "vscode";
import { type ThreadSummary, threadStart } from "../../../agent-host/protocol/thread/thread.ts";
import {
	worktreeAdd,
	worktreeDrop,
	worktreeInspect,
	worktreeList,
	worktreeMerge,
	worktreePlan,
} from "../../../agent-host/protocol/thread/worktree.ts";
import { countOf, t } from "../../../l10n/t.ts";
import { readFolders } from "../../facts/folders.ts";
import { withoutIcons } from "../../facts/plain-row.ts";
import { showInformation, showWarning } from "../../facts/show-message.ts";
import type { ThreadRow } from "../../views/threads/thread-groups.ts";
import type { Parts } from "../parts.ts";

/** Of the files that a drop would lose. */
const SHOWN_FILES = 10;

/** Makes a worktree after the user has seen what Git would do, and opens a new thread in it. */
export async function newThreadInWorktree({ host, panel, threads }: Parts): Promise<void> {
	const folder = await pickFolder();
	if (folder === undefined) return;
	const suggested = await host.request(worktreePlan, { folder });
	const branch = await vscode.window.showInputBox({
		title: t("New Thread in Worktree"),
		prompt: t("Name of the new branch, which begins at {0}", suggested.from),
		value: suggested.branch,
	});
	if (branch === undefined) return;
	const wanted = branch.trim() || suggested.branch;
	const plan = wanted === suggested.branch ? suggested : await host.request(worktreePlan, { folder, branch: wanted });
	const create = t("Create Worktree");
	const detail = [
		plan.command,
		t("The thread works in {0}. Your files in {1} stay as they are.", plan.path, plan.folder),
		t("Git runs in the sandbox, without hooks, and can write only to {0} and the new folder.", plan.repository),
	].join("\n\n");
	const question = t("Create the branch {0} in a new worktree?", plan.branch);
	if ((await showWarning(question, { modal: true, detail }, create)) !== create) return;
	// Exactly what was shown, or nothing.
	const { path } = await host.request(worktreeAdd, { folder, branch: plan.branch, digest: plan.digest });
	const { threadId } = await host.request(threadStart, { cwd: path });
	threads.refresh();
	await panel.showThread(threadId);
	await panel.focusInput();
}

/** Merges a worktree into what its repository's folder has checked out; it stays until it is dropped. */
export async function mergeWorktree(parts: Parts, row?: unknown): Promise<void> {
	const thread = readRow(row);
	const path = thread?.worktree?.path ?? (await pickWorktree(parts, t("Merge Worktree")));
	if (path !== undefined) await mergePath(parts, path, thread?.title);
}

/** `title`: the commit message that is suggested. */
async function mergePath(parts: Parts, path: string, title: string | undefined): Promise<void> {
	const { host } = parts;
	const { branch, into, uncommitted, unmerged } = await host.request(worktreeInspect, { path });
	const merge = t("Merge");
	const detail = [
		...(uncommitted.length > 0
			? [countOf(uncommitted.length, "{0} changed file is committed first.", "{0} changed files are committed first.")]
			: []),
		...(unmerged > 0 ? [countOf(unmerged, "{0} commit is not merged yet.", "{0} commits are not merged yet.")] : []),
		t("Git runs in the sandbox, without hooks. On conflicts, nothing is merged."),
	].join("\n");
	const question = t("Merge {0} into {1}?", branch, into);
	if ((await showInformation(question, { modal: true, detail }, merge)) !== merge) return;
	const message = uncommitted.length > 0 ? await askMessage(title) : branch;
	if (message === undefined) return;
	const { commits } = await host.request(worktreeMerge, { path, message });
	const drop = t("Drop Worktree");
	const done = t("Merged into {0}: {1}.", into, countOf(commits, "{0} commit", "{0} commits"));
	if ((await showInformation(done, drop)) === drop) await dropPath(parts, path, title);
}

/** Removes a worktree. The host refuses if anything in it would be lost. */
export async function dropWorktree(parts: Parts, row?: unknown): Promise<void> {
	const thread = readRow(row);
	const path = thread?.worktree?.path ?? (await pickWorktree(parts, t("Drop Worktree")));
	if (path !== undefined) await dropPath(parts, path, thread?.title);
}

async function dropPath(parts: Parts, path: string, title: string | undefined): Promise<void> {
	const { host, threads, policy } = parts;
	const { branch, folder, state, unmerged, uncommitted } = await host.request(worktreeInspect, { path });
	// Nobody is asked for what the host would refuse.
	if (state === "ready" && uncommitted.length > 0) {
		if (await offerMerge(branch, uncommitted)) await mergePath(parts, path, title);
		return;
	}
	const keepBranch = state === "ready" && unmerged > 0;
	const drop = keepBranch ? t("Drop, Keep Branch") : t("Drop");
	const detail = [
		t("This deletes {0}, including ignored files. Its threads continue in {1}.", path, folder),
		keepBranch
			? t("The branch {0} is kept. Not merged: {1}.", branch, countOf(unmerged, "{0} commit", "{0} commits"))
			: t("The branch {0} is merged and will be deleted, too.", branch),
	].join("\n\n");
	const question = t("Drop the worktree of {0}?", branch);
	if ((await showWarning(question, { modal: true, detail }, drop)) !== drop) return;
	await host.request(worktreeDrop, { path, keepBranch });
	threads.refresh();
	policy.refresh();
}

/** Says what dropping would lose, and whether the user wants to merge it in place of that. */
async function offerMerge(branch: string, uncommitted: readonly string[]): Promise<boolean> {
	const [shown, more] = [uncommitted.slice(0, SHOWN_FILES), uncommitted.length - SHOWN_FILES];
	const detail = [
		[...shown, ...(more > 0 ? [countOf(more, "{0} more file", "{0} more files")] : [])].join("\n"),
		t("Merge the worktree, or commit or discard the changes first."),
	].join("\n\n");
	const merge = t("Merge Worktree");
	const problem = t("The worktree of {0} has uncommitted changes, which would be lost.", branch);
	return (await showWarning(problem, { modal: true, detail }, merge)) === merge;
}

/** The folder whose repository gets a worktree; asks only if there are several. */
async function pickFolder(): Promise<string | undefined> {
	const { paths, names, first } = readFolders();
	if (first === undefined) throw new Error(t("Open a folder with a Git repository first."));
	if (paths.length === 1) return first;
	const rows = paths.map((path, index) => ({
		label: withoutIcons(names[index] ?? path),
		description: withoutIcons(path),
		path,
	}));
	const picked = await vscode.window.showQuickPick(rows, { title: t("New Thread in Worktree") });
	return picked?.path;
}

/** The menu of a row passes it; the palette passes nothing. */
function readRow(row: unknown): ThreadSummary | undefined {
	const { kind, thread } = Object(row) as Partial<Extract<ThreadRow, { kind: "thread" }>>;
	return kind === "thread" ? thread : undefined;
}

async function pickWorktree({ host }: Parts, title: string): Promise<string | undefined> {
	const { worktrees } = await host.request(worktreeList, {});
	if (worktrees.length === 0) {
		void showInformation(t("The open folders have no worktrees."));
		return undefined;
	}
	const rows = worktrees.map(({ branch, path, from, state }) => ({
		label: withoutIcons(branch),
		description: state === "unfinished" ? t("not complete") : withoutIcons(t("from {0}", from)),
		detail: withoutIcons(path),
		path,
	}));
	return (await vscode.window.showQuickPick(rows, { title }))?.path;
}

function askMessage(title: string | undefined): Thenable<string | undefined> {
	return vscode.window.showInputBox({
		title: t("Merge Worktree"),
		prompt: t("Commit message"),
		value: title ?? "",
		validateInput: (value) => (value.trim() === "" ? t("Enter a message.") : undefined),
	});
}
