import * as vscode from "vscode";
import type { ReviewedHunk } from "../../agent-host/protocol/thread/review.ts";
import { t } from "../../l10n/t.ts";
import { asLabel } from "../views/activity/activity-words.ts";
import { describeHunk } from "./hunk-words.ts";
import type { PendingChanges } from "./pending-changes.ts";

/**
 * Comment threads beside the hunks, with Keep and Reject in their titles: the only native place for buttons inside a
 * diff.
 */
export interface HunkComments extends vscode.Disposable {
	/** Shows them until no diff is open any more. */
	readonly show: () => void;
	/** The hunk of a comment thread. */
	readonly hunkOf: (thread: unknown) => string | undefined;
}

const AUTHOR = { name: "Vitrine" };

export function createHunkComments(changes: PendingChanges, isShown: () => boolean): HunkComments {
	const controller = vscode.comments.createCommentController("vitrine.review", t("Vitrine: pending changes"));
	controller.options = {
		prompt: t("Comment on this change"),
		placeHolder: t("Sent with your next message"),
	};
	const hunks = new Map<vscode.CommentThread, string>();
	let isOn = false;
	const draw = (): void => {
		const open = new Set(isOn ? changes.files().flatMap(({ hunks }) => hunks.map(({ id }) => id)) : []);
		for (const [thread, id] of hunks) {
			if (open.delete(id)) continue;
			hunks.delete(thread);
			thread.dispose();
		}
		if (!isOn) return;
		for (const file of changes.files()) {
			if (file.operation === "delete") continue;
			for (const hunk of file.hunks.filter(({ id }) => open.has(id))) {
				const from = hunk.line - 1;
				const range = new vscode.Range(from, 0, from + Math.max(0, hunk.added.length - 1), 0);
				// A comment with a body would open the Comments panel; the diff shows the lines anyway.
				const comment = { author: AUTHOR, body: "", label: formerLines(hunk), mode: vscode.CommentMode.Preview };
				const thread = controller.createCommentThread(vscode.Uri.file(file.path), range, [comment]);
				thread.label = t("Change {0}", describeHunk(hunk, file));
				thread.contextValue = "hunk";
				thread.collapsibleState = vscode.CommentThreadCollapsibleState.Collapsed;
				hunks.set(thread, hunk.id);
			}
		}
	};
	const disposables = [
		controller,
		changes.onDidChange(draw),
		vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
			if (!isOn || closed.length === 0 || isShown()) return;
			isOn = false;
			draw();
		}),
	];
	return {
		show: () => {
			isOn = true;
			draw();
		},
		hunkOf: (thread) => hunks.get(thread as vscode.CommentThread),
		dispose: () => vscode.Disposable.from(...disposables).dispose(),
	};
}

function formerLines({ removed }: ReviewedHunk): string {
	return removed.length === 0 ? t("These lines are new.") : t("Before: {0}", asLabel(removed.join("\n")));
}
