import * as vscode from "vscode";
import {
	type CompactionId,
	type CompactionReport,
	threadCompactApply,
} from "../../../agent-host/protocol/thread/compaction.ts";
import { t } from "../../../l10n/t.ts";
import { onceAtATime } from "../../facts/once-at-a-time.ts";
import type { HostClient } from "../../host/host-client.ts";
import { readEditedSummary, renderPreview } from "./compaction-words.ts";

/** Also used in the manifest, for the buttons of the document. */
export const PREVIEW_SCHEME = "vitrine-compaction";

/** Compactions that can be applied, each as a document with an editable summary. */
export interface CompactionPreview extends vscode.Disposable {
	readonly open: (compactionId: CompactionId, report: CompactionReport) => Promise<void>;
	/** Applies the compaction of the active document, with its current summary. */
	readonly apply: () => Promise<void>;
	readonly discard: () => Promise<void>;
}

interface Waiting {
	readonly compactionId: CompactionId;
	readonly report: CompactionReport;
}

export function createCompactionPreview(host: HostClient): CompactionPreview {
	const files = createMemoryFiles();
	const waiting = new Map<string, Waiting>();
	const inFront = (): { readonly document: vscode.TextDocument; readonly found: Waiting } => {
		const document = vscode.window.activeTextEditor?.document;
		const found = document && waiting.get(document.uri.path);
		if (document === undefined || found === undefined) throw new Error(t("This editor has no compaction preview."));
		return { document, found };
	};
	const close = async (document: vscode.TextDocument): Promise<void> => {
		waiting.delete(document.uri.path);
		// Saved only so that closing does not ask. The text stays in memory even after closing: the editor may save a
		// document a moment later, and would complain if it were gone.
		await document.save();
		const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
		const isOurs = ({ input }: vscode.Tab) =>
			input instanceof vscode.TabInputText && input.uri.toString() === document.uri.toString();
		await vscode.window.tabGroups.close(tabs.filter(isOurs));
	};
	return {
		open: async (compactionId, report) => {
			const uri = vscode.Uri.from({ scheme: PREVIEW_SCHEME, path: `/${compactionId}/Compaction.md` });
			waiting.set(uri.path, { compactionId, report });
			files.write(uri, renderPreview(report));
			await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: false });
		},
		apply: async () => {
			const { document, found } = inFront();
			const summary = readEditedSummary(document.getText(), found.report);
			const { compactionId } = found;
			// The second of two presses would be refused, although the first one applies it.
			await onceAtATime(`apply ${compactionId}`, async () => {
				await host.request(threadCompactApply, summary === undefined ? { compactionId } : { compactionId, summary });
				await close(document);
			});
		},
		discard: () => close(inFront().document),
		dispose: files.dispose,
	};
}

/** A minimal in-memory file system for editable documents. */
function createMemoryFiles(): {
	readonly write: (uri: vscode.Uri, text: string) => void;
	readonly dispose: () => void;
} {
	const contents = new Map<string, { readonly bytes: Uint8Array; readonly at: number }>();
	const changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
	const put = (uri: vscode.Uri, bytes: Uint8Array): void => {
		contents.set(uri.path, { bytes, at: Date.now() });
		changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
	};
	const get = (uri: vscode.Uri) => {
		const found = contents.get(uri.path);
		if (found === undefined) throw vscode.FileSystemError.FileNotFound(uri);
		return found;
	};
	const refuse = (uri: vscode.Uri): never => {
		throw vscode.FileSystemError.NoPermissions(uri);
	};
	const registered = vscode.workspace.registerFileSystemProvider(PREVIEW_SCHEME, {
		onDidChangeFile: changed.event,
		watch: () => new vscode.Disposable(() => undefined),
		stat: (uri) => {
			const { bytes, at } = get(uri);
			return { type: vscode.FileType.File, ctime: at, mtime: at, size: bytes.length };
		},
		readFile: (uri) => get(uri).bytes,
		writeFile: (uri, bytes) => (contents.has(uri.path) ? put(uri, bytes) : refuse(uri)),
		readDirectory: () => [],
		createDirectory: refuse,
		delete: refuse,
		rename: refuse,
	});
	return {
		write: (uri, text) => put(uri, Buffer.from(text)),
		dispose: () => vscode.Disposable.from(registered, changed).dispose(),
	};
}
