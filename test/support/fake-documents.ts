import { readFileSync, writeFileSync } from "node:fs";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { OpenDocuments } from "../../agent-host/workspace/apply/open-documents.ts";

/** An editor with open documents, in this process. */
export interface FakeEditor extends OpenDocuments {
	readonly open: (path: string, text?: string) => void;
	/** As the user types. */
	readonly type: (path: string, text: string) => void;
	/** The editor's names for the encodings of files. */
	readonly encodings: Map<string, string>;
	readonly unsavedNotebooks: Set<string>;
	/** What was asked of the editor, in order. */
	readonly log: readonly string[];
	/** Documents that refuse to be edited, or to be saved. */
	readonly refusing: { edit: string | undefined; save: string | undefined };
}

export function aFakeEditor(): FakeEditor {
	const documents = new Map<string, TextDocument>();
	const encodings = new Map<string, string>();
	const unsavedNotebooks = new Set<string>();
	const log: string[] = [];
	const refusing: FakeEditor["refusing"] = { edit: undefined, save: undefined };
	return {
		log,
		encodings,
		unsavedNotebooks,
		refusing,
		open: (path, text = readFileSync(path, "utf8")) =>
			documents.set(path, TextDocument.create(path, "text", 1, text.replace(/^\uFEFF/, ""))),
		type: (path, text) => replace(path, text),
		textOf: (path) => {
			const document = documents.get(path);
			return document === undefined ? undefined : { text: document.getText(), version: document.version };
		},
		edit: async (path, version, edits) => {
			const document = documents.get(path);
			log.push(`edit ${path.split("/").at(-1)}`);
			if (document?.version !== version || refusing.edit === path) return false;
			replace(
				path,
				TextDocument.applyEdits(
					document,
					edits.map(({ range, newText }) => ({ range, newText })),
				),
			);
			return true;
		},
		encodingOf: async (path) => encodings.get(path),
		isUnsavedNotebook: async (path) => unsavedNotebooks.has(path),
		save: async (path) => {
			log.push(`save ${path.split("/").at(-1)}`);
			if (refusing.save === path) return false;
			writeFileSync(path, documents.get(path)?.getText() ?? "");
			return true;
		},
	};

	function replace(path: string, text: string): void {
		documents.set(path, TextDocument.create(path, "text", (documents.get(path)?.version ?? 0) + 1, text));
	}
}
