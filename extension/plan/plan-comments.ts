import * as vscode from "vscode";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import { t } from "../../l10n/t.ts";
import type { PlanFiles } from "./plan-files.ts";
import { followLine, type PlanComment } from "./plan-prompt.ts";

const MEMORY_KEY = "vitrine.planComments";
/** Threads whose comments are remembered; the oldest is dropped first. */
const MAX_THREADS = 50;

type Remembered = Readonly<Record<string, readonly PlanComment[]>>;

/** The user's comments on lines of plans, until they are sent. They outlive the window. */
export interface PlanComments extends vscode.Disposable {
	readonly of: (threadId: ThreadId) => readonly PlanComment[];
	/** Adds what was written at a line of a plan document. */
	readonly add: (reply: vscode.CommentReply) => void;
	readonly remove: (from: unknown) => void;
	readonly clear: (threadId: ThreadId) => void;
	readonly onDidChange: vscode.Event<void>;
}

interface Shown {
	readonly threadId: ThreadId;
	readonly text: string;
	readonly at: vscode.CommentThread;
}

export function createPlanComments(files: PlanFiles, memory: vscode.Memento): PlanComments {
	const changed = new vscode.EventEmitter<void>();
	const controller = vscode.comments.createCommentController("vitrine.plan", t("Vitrine: plan"));
	controller.options = { prompt: t("Comment on this line"), placeHolder: t("Sent with the plan") };
	controller.commentingRangeProvider = {
		provideCommentingRanges: ({ uri, lineCount }) =>
			files.threadOf(uri) === undefined ? [] : [new vscode.Range(0, 0, lineCount - 1, 0)],
	};
	let shown: readonly Shown[] = [];
	const remembered = (): Remembered => memory.get<Remembered>(MEMORY_KEY, {});
	const of = (threadId: ThreadId): readonly PlanComment[] => remembered()[threadId] ?? [];
	const remember = (threadId: ThreadId): void => {
		const { [threadId]: _, ...others } = remembered();
		const comments = shown
			.filter((one) => one.threadId === threadId)
			.map(({ at, text }) => ({ line: lineOf(at), text }));
		const kept = [...Object.entries(others), ...(comments.length > 0 ? [[threadId, comments] as const] : [])];
		void memory.update(MEMORY_KEY, Object.fromEntries(kept.slice(-MAX_THREADS)));
		changed.fire();
	};
	const show = (threadId: ThreadId, text: string, at: vscode.CommentThread): void => {
		at.comments = [{ author: { name: t("You") }, body: "", label: text, mode: vscode.CommentMode.Preview }];
		at.canReply = false;
		at.contextValue = "plan";
		shown = [...shown, { threadId, text, at }];
	};
	const drop = (gone: readonly Shown[]): void => {
		shown = shown.filter((one) => !gone.includes(one));
		for (const { at } of gone) at.dispose();
		for (const threadId of new Set(gone.map((one) => one.threadId))) remember(threadId);
	};
	/** Comments of an earlier window are shown again with their document. */
	const restore = ({ uri }: vscode.TextDocument): void => {
		const threadId = files.threadOf(uri);
		if (threadId === undefined || shown.some((one) => one.threadId === threadId)) return;
		for (const { line, text } of of(threadId)) {
			show(threadId, text, controller.createCommentThread(uri, new vscode.Range(line, 0, line, 0), []));
		}
	};
	for (const document of vscode.workspace.textDocuments) restore(document);
	const disposables = [
		changed,
		controller,
		vscode.workspace.onDidOpenTextDocument(restore),
		vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
			const threadId = files.threadOf(document.uri);
			if (threadId !== undefined && move(shown, threadId, contentChanges)) remember(threadId);
		}),
	];
	return {
		of,
		add({ thread, text }) {
			const threadId = files.threadOf(thread.uri);
			if (threadId === undefined || text.trim() === "") return;
			show(threadId, text.trim(), thread);
			remember(threadId);
		},
		remove: (from) => drop(shown.filter(({ at }) => at === from)),
		clear: (threadId) => {
			drop(shown.filter((one) => one.threadId === threadId));
			// Those of an earlier window are not shown before their document is open.
			if (of(threadId).length > 0) remember(threadId);
		},
		onDidChange: changed.event,
		dispose: () => vscode.Disposable.from(...disposables).dispose(),
	};
}

/** The editor moves what it shows; what is sent has to follow. True if something moved. */
function move(
	shown: readonly Shown[],
	threadId: ThreadId,
	changes: readonly vscode.TextDocumentContentChangeEvent[],
): boolean {
	let hasMoved = false;
	for (const { at } of shown.filter((one) => one.threadId === threadId)) {
		const before = lineOf(at);
		const line = changes.reduce((now, { range: { start, end }, text }) => {
			const change = {
				start: start.line,
				end: end.line,
				endColumn: end.character,
				breaks: text.split("\n").length - 1,
			};
			return followLine(now, change);
		}, before);
		if (line === before) continue;
		at.range = new vscode.Range(line, 0, line, 0);
		hasMoved = true;
	}
	return hasMoved;
}

/** The thread is at one line. */
function lineOf({ range }: vscode.CommentThread): number {
	return range?.end.line ?? 0;
}
