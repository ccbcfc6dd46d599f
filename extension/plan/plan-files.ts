import * as vscode from "vscode";
import { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { LineEdit } from "./plan-text.ts";

const FOLDER = "plans";
const NAME = "Plan.md";
/** The user's version of a plan that was replaced by another one. */
const EDITED_NAME = "Plan (edited).md";

/** One Markdown file for each thread with a plan, in the folder of the threads. */
export interface PlanFiles {
	readonly uriOf: (threadId: ThreadId) => vscode.Uri;
	/** The thread of a plan document. */
	readonly threadOf: (uri: vscode.Uri) => ThreadId | undefined;
	readonly exists: (threadId: ThreadId) => Promise<boolean>;
	/** Replaces the plan. What the user had made of the former one is kept beside it; returns where. */
	readonly write: (threadId: ThreadId, text: string) => Promise<vscode.Uri | undefined>;
	/** As it is in the editor, saved or not. */
	readonly read: (threadId: ThreadId) => Promise<string>;
	/** Changes single places, and saves what was saved before. */
	readonly edit: (threadId: ThreadId, find: (text: string) => readonly LineEdit[]) => Promise<void>;
	readonly remove: (threadId: ThreadId) => Promise<void>;
}

export function createPlanFiles(home: vscode.Uri): PlanFiles {
	const folder = vscode.Uri.joinPath(home, FOLDER);
	/** What was written for each thread: anything else in its file is the user's. */
	const written = new Map<ThreadId, string>();
	const uriOf = (threadId: ThreadId): vscode.Uri => vscode.Uri.joinPath(folder, threadId, NAME);
	const open = (threadId: ThreadId) => vscode.workspace.openTextDocument(uriOf(threadId));
	const exists = (threadId: ThreadId): Promise<boolean> =>
		Promise.resolve(vscode.workspace.fs.stat(uriOf(threadId))).then(
			() => true,
			() => false,
		);
	const keepEdited = async (threadId: ThreadId, before: string): Promise<vscode.Uri | undefined> => {
		if (before === written.get(threadId)) return undefined;
		const kept = vscode.Uri.joinPath(folder, threadId, EDITED_NAME);
		await vscode.workspace.fs.writeFile(kept, new TextEncoder().encode(before));
		return kept;
	};
	return {
		uriOf,
		threadOf: (uri) => {
			const inFolder = `${folder.path}/`;
			if (uri.scheme !== folder.scheme || !uri.path.startsWith(inFolder)) return undefined;
			const [threadId, name, ...more] = uri.path.slice(inFolder.length).split("/");
			return name === NAME && more.length === 0 ? ThreadId.safeParse(threadId).data : undefined;
		},
		exists,
		async write(threadId, text) {
			if (!(await exists(threadId))) {
				await vscode.workspace.fs.writeFile(uriOf(threadId), new TextEncoder().encode(text));
				written.set(threadId, text);
				return undefined;
			}
			const document = await open(threadId);
			const before = document.getText();
			if (before === text) return undefined;
			const kept = await keepEdited(threadId, before);
			const all = new vscode.Range(0, 0, document.lineCount, 0);
			await apply(document, [vscode.TextEdit.replace(all, text)], "save");
			written.set(threadId, text);
			return kept;
		},
		read: async (threadId) => (await open(threadId)).getText(),
		async edit(threadId, find) {
			const document = await open(threadId);
			const isMine = document.getText() === written.get(threadId);
			const edits = find(document.getText()).map(({ line, column, length, text }) =>
				vscode.TextEdit.replace(new vscode.Range(line, column, line, column + length), text),
			);
			if (edits.length === 0) return;
			await apply(document, edits, document.isDirty ? "leave" : "save");
			if (isMine) written.set(threadId, document.getText());
		},
		async remove(threadId) {
			const mine = vscode.Uri.joinPath(folder, threadId);
			if (await exists(threadId)) await vscode.workspace.fs.delete(mine, { recursive: true });
		},
	};
}

async function apply(
	document: vscode.TextDocument,
	edits: readonly vscode.TextEdit[],
	then: "save" | "leave",
): Promise<void> {
	const change = new vscode.WorkspaceEdit();
	change.set(document.uri, [...edits]);
	await vscode.workspace.applyEdit(change);
	if (then === "save") await document.save();
}
