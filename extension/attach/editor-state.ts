import { basename } from "node:path";
import * as vscode from "vscode";
import type { UserInput } from "../../agent-host/protocol/thread/turn.ts";
import { countOf, t } from "../../l10n/t.ts";
import { ownSetting } from "../facts/own-setting.ts";
import { offerLines, offerProblems, shownPath, toHostPath } from "./document-offers.ts";
import { LEVEL_OF, resolveLevel } from "./editor-context-level.ts";
import type { Offer } from "./offer.ts";
import { looksSecret } from "./secret-files.ts";

/** Maximum number of open files in one chip. */
const MAX_OPEN_FILES = 50;
/** The selection changes with every key; the chips are updated with this delay. */
const PAUSE_MS = 100;

export interface EditorOffer {
	readonly offer: Offer;
	/** Whether it is attached by default. */
	readonly isOn: boolean;
}

/** How much of the editor's state is attached automatically. */
export function readLevel(): number {
	return resolveLevel(ownSetting("vitrine.context.editorContext"), vscode.workspace.isTrusted);
}

/** Offers what the editor shows now. In an untrusted workspace none of it is attached automatically. */
export function readEditorOffers(): readonly EditorOffer[] {
	const level = readLevel();
	const editor = vscode.window.activeTextEditor;
	const document = editor?.document.uri.scheme === "file" ? editor.document : undefined;
	const offers: (EditorOffer | undefined)[] = [
		document && { offer: offerActiveFile(document.uri), isOn: level >= LEVEL_OF.activeFile },
		// Text of a file with secrets is never attached automatically; it takes a command to send it.
		editor && document && !editor.selection.isEmpty && !looksSecret(document.uri.path)
			? { offer: offerSelection(editor), isOn: level >= LEVEL_OF.selection }
			: undefined,
		offerOpenFiles(level >= LEVEL_OF.openFiles),
		withOffer(document && offerProblems(document.uri)),
	];
	return offers.filter((entry) => entry !== undefined);
}

/** The selection, without a last line of which nothing is selected. */
export function offerSelection({
	document,
	selection,
}: {
	readonly document: vscode.TextDocument;
	readonly selection: vscode.Range;
}): Offer {
	const { start, end } = selection;
	const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
	return offerLines(document, (line) => document.lineAt(line - 1).text, { from: start.line + 1, to: last + 1 });
}

export function watchEditor(changed: () => void): vscode.Disposable {
	let timer: NodeJS.Timeout | undefined;
	const soon = (): void => {
		clearTimeout(timer);
		timer = setTimeout(changed, PAUSE_MS);
	};
	return vscode.Disposable.from(
		vscode.window.onDidChangeActiveTextEditor(soon),
		vscode.window.onDidChangeTextEditorSelection(soon),
		vscode.window.tabGroups.onDidChangeTabs(soon),
		vscode.languages.onDidChangeDiagnostics(soon),
		{ dispose: () => clearTimeout(timer) },
	);
}

// Problems are offered but never attached automatically: they change while one types.
function withOffer(offer: Offer | undefined): EditorOffer | undefined {
	return offer && { offer, isOn: false };
}

function offerActiveFile(uri: vscode.Uri): Offer {
	return {
		key: `activeFile ${uri}`,
		kind: "activeFile",
		label: basename(uri.path),
		title: t("active file {0}", shownPath(uri)),
		read: () => ({ kind: "editor", activeFile: toHostPath(uri), openFiles: [], unsavedFiles: [] }),
	};
}

function offerOpenFiles(isOn: boolean): EditorOffer | undefined {
	const count = openFiles().length;
	if (count < 2) return undefined;
	const words = countOf(count, "{0} open file", "{0} open files");
	const offer: Offer = {
		key: `openFiles ${count}`,
		kind: "openFiles",
		label: words,
		title: t("{0}, including which are unsaved", words),
		read: openFilesInput,
	};
	return { offer, isOn };
}

function openFilesInput(): UserInput {
	const open = openFiles().map(toHostPath);
	const unsaved = vscode.workspace.textDocuments
		.filter(({ isDirty, uri }) => isDirty && uri.scheme === "file")
		.map(({ uri }) => toHostPath(uri))
		.filter((path) => open.includes(path));
	return { kind: "editor", openFiles: open, unsavedFiles: unsaved };
}

function openFiles(): readonly vscode.Uri[] {
	const inputs = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ input }) => input));
	const uris = inputs.flatMap((input) => (input instanceof vscode.TabInputText ? [input.uri] : []));
	const byPath = new Map(uris.filter(({ scheme }) => scheme === "file").map((uri) => [uri.toString(), uri]));
	return [...byPath.values()].slice(0, MAX_OPEN_FILES);
}
