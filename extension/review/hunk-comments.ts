import * as vscode from "vscode";
import type { ReviewedFile, ReviewedHunk } from "../../agent-host/protocol/thread/review.ts";
import { t } from "../../l10n/t.ts";
import { fileUri } from "../facts/file-uri.ts";
import { asLabel } from "../views/activity/activity-words.ts";
import { describeHunk } from "./hunk-words.ts";
import type { PendingChanges } from "./pending-changes.ts";

/**
 * Comment threads beside the hunks, in files and diffs, with Keep and Reject in their titles: the only native place for
 * buttons inside a diff. The user's comment is in them, to be edited or deleted, until it is sent.
 */
export interface HunkComments extends vscode.Disposable {
	/** The hunk of a comment thread, or of a comment in one. */
	readonly hunkOf: (from: unknown) => string | undefined;
	/** Opens the thread of a hunk, where a comment is written. */
	readonly open: (hunk: string) => void;
	/** Lets the user edit a comment in its place, or gives that up. */
	readonly edit: (from: unknown, how: "begin" | "cancel") => void;
	/** The text of a comment as it is being edited. */
	readonly textOf: (from: unknown) => string | undefined;
}

interface HunkThread {
	readonly id: string;
	readonly thread: vscode.CommentThread;
	comment: string | undefined;
}

/**
 * A comment of the user, which knows its hunk. Its text is the label: a comment with a body would open the Comments
 * panel. Only while it is edited, the text is the body.
 */
class UserComment implements vscode.Comment {
	readonly author = { name: t("You") };
	readonly contextValue = "mine";
	readonly hunk: string;
	readonly label: string;
	mode = vscode.CommentMode.Preview;
	body = "";

	constructor(hunk: string, text: string) {
		this.hunk = hunk;
		this.label = text;
	}
}

export function createHunkComments(changes: PendingChanges): HunkComments {
	const controller = vscode.comments.createCommentController("vitrine.review", t("Vitrine: pending changes"));
	controller.options = {
		prompt: t("Comment on this change"),
		placeHolder: t("Sent with your next message"),
	};
	const shown = new Map<string, HunkThread>();
	const draw = (): void => {
		const wanted = new Map(
			changes
				.threads()
				.flatMap(({ files }) => files.flatMap((file) => hunksIn(file).map((hunk) => [hunk.id, { file, hunk }]))),
		);
		for (const [id, { thread }] of shown) {
			// While the host starts again nothing is known, and a comment may be half written.
			if (wanted.has(id) || !changes.isKnown()) continue;
			shown.delete(id);
			thread.dispose();
		}
		for (const [id, { file, hunk }] of wanted) {
			const known = shown.get(id) ?? begin(controller, file, hunk);
			shown.set(id, known);
			known.thread.range = rangeOf(hunk);
			if (known.comment === hunk.comment && known.thread.comments.length > 0) continue;
			known.comment = hunk.comment;
			known.thread.comments = [
				beforeNote(hunk),
				...(hunk.comment === undefined ? [] : [new UserComment(id, hunk.comment)]),
			];
		}
	};
	const replace = (comment: UserComment, mode: vscode.CommentMode): void => {
		const found = shown.get(comment.hunk);
		if (found === undefined) return;
		comment.mode = mode;
		// Only a new list is drawn.
		found.thread.comments = [...found.thread.comments];
	};
	const disposables = [controller, changes.onDidChange(draw)];
	return {
		hunkOf: (from) =>
			from instanceof UserComment ? from.hunk : [...shown.values()].find(({ thread }) => thread === from)?.id,
		open: (hunk) => {
			const found = shown.get(hunk);
			if (found !== undefined) found.thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
		},
		edit: (from, how) => {
			if (!(from instanceof UserComment)) return;
			from.body = how === "begin" ? from.label : "";
			replace(from, how === "begin" ? vscode.CommentMode.Editing : vscode.CommentMode.Preview);
		},
		textOf: (from) => (from instanceof UserComment ? from.body : undefined),
		dispose: () => vscode.Disposable.from(...disposables).dispose(),
	};
}

function hunksIn({ operation, hunks }: ReviewedFile): readonly ReviewedHunk[] {
	return operation === "delete" ? [] : hunks;
}

function begin(controller: vscode.CommentController, file: ReviewedFile, hunk: ReviewedHunk): HunkThread {
	const thread = controller.createCommentThread(fileUri(file.path), rangeOf(hunk), []);
	thread.label = t("Change {0}", describeHunk(hunk, file));
	thread.contextValue = "hunk";
	thread.collapsibleState = vscode.CommentThreadCollapsibleState.Collapsed;
	return { id: hunk.id, thread, comment: undefined };
}

function rangeOf({ line, added }: ReviewedHunk): vscode.Range {
	return new vscode.Range(line - 1, 0, line - 1 + Math.max(0, added.length - 1), 0);
}

/** A comment with a body would open the Comments panel; the diff shows the lines anyway. */
function beforeNote({ removed }: ReviewedHunk): vscode.Comment {
	const label = removed.length === 0 ? t("These lines are new.") : t("Before: {0}", asLabel(removed.join("\n")));
	return { author: { name: "Vitrine" }, body: "", label, mode: vscode.CommentMode.Preview };
}
