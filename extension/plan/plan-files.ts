import { createHash } from "node:crypto";
import * as vscode from "vscode";
import { ThreadId } from "../../agent-host/protocol/ids.ts";
import { applyEdits, type LineEdit } from "./plan-text.ts";

const FOLDER = "plans";
const NAME = "Plan.md";
/** The user's version of a plan that was replaced by another one. */
const EDITED_NAME = "Plan (edited).md";
const MEMORY_KEY = "vitrine.writtenPlans";
/** Threads whose plans are remembered; the oldest is dropped first. */
const MAX_THREADS = 50;
/** So often a change is tried in a document that the user types in. */
const MAX_ATTEMPTS = 10;

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

/** `memory` outlives the window. */
export function createPlanFiles(home: vscode.Uri, memory: vscode.Memento): PlanFiles {
	const folder = vscode.Uri.joinPath(home, FOLDER);
	/** What was written for each thread, by its digest: anything else in its file is the user's. */
	const written = (): Readonly<Record<string, string>> => memory.get(MEMORY_KEY, {});
	const isWritten = (threadId: ThreadId, text: string): boolean => written()[threadId] === digestOf(text);
	const noteWritten = (threadId: ThreadId, text: string): void => {
		const { [threadId]: _, ...others } = written();
		const kept = [...Object.entries(others), [threadId, digestOf(text)] as const].slice(-MAX_THREADS);
		void memory.update(MEMORY_KEY, Object.fromEntries(kept));
	};
	const uriOf = (threadId: ThreadId): vscode.Uri => vscode.Uri.joinPath(folder, threadId, NAME);
	const open = (threadId: ThreadId) => vscode.workspace.openTextDocument(uriOf(threadId));
	const exists = (threadId: ThreadId): Promise<boolean> =>
		Promise.resolve(vscode.workspace.fs.stat(uriOf(threadId))).then(
			() => true,
			() => false,
		);
	const keepEdited = async (threadId: ThreadId, before: string): Promise<vscode.Uri | undefined> => {
		if (isWritten(threadId, before)) return undefined;
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
				noteWritten(threadId, text);
				return undefined;
			}
			const document = await open(threadId);
			let kept: vscode.Uri | undefined;
			await change(document, "always", async (before) => {
				if (before === text) return [];
				kept = await keepEdited(threadId, before);
				return [vscode.TextEdit.replace(new vscode.Range(0, 0, document.lineCount, 0), text)];
			});
			noteWritten(threadId, text);
			return kept;
		},
		read: async (threadId) => (await open(threadId)).getText(),
		async edit(threadId, find) {
			const document = await open(threadId);
			let mine: string | undefined;
			await change(document, "if-saved", async (now) => {
				const edits = find(now);
				mine = isWritten(threadId, now) ? applyEdits(now, edits) : undefined;
				return edits.map(({ line, column, length, text }) =>
					vscode.TextEdit.replace(new vscode.Range(line, column, line, column + length), text),
				);
			});
			if (mine !== undefined) noteWritten(threadId, mine);
		},
		async remove(threadId) {
			const mine = vscode.Uri.joinPath(folder, threadId);
			try {
				await vscode.workspace.fs.delete(mine, { recursive: true });
			} catch (error) {
				if (!(error instanceof vscode.FileSystemError) || error.code !== "FileNotFound") throw error;
			}
		},
	};
}

function digestOf(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}

/** The editor refuses an edit that was worked out before the user's last key; then it is worked out again. */
async function change(
	document: vscode.TextDocument,
	saves: "always" | "if-saved",
	plan: (text: string) => Promise<readonly vscode.TextEdit[]>,
): Promise<void> {
	for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
		const edits = await plan(document.getText());
		if (edits.length === 0) return;
		const isSaved = saves === "always" || !document.isDirty;
		const all = new vscode.WorkspaceEdit();
		all.set(document.uri, [...edits]);
		if (!(await vscode.workspace.applyEdit(all))) continue;
		if (isSaved) await document.save();
		return;
	}
	throw new Error(`${document.uri.path} is being edited.`);
}
