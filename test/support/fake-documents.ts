import { readFileSync } from "node:fs";
import { TextDocument } from "vscode-languageserver-textdocument";
import { type OpenDocuments, sameText } from "../../agent-host/workspace/apply/open-documents.ts";
import { encodingOfFile } from "../../agent-host/workspace/files/file-encoding.ts";

/** An editor with open documents, in this process. */
export interface FakeEditor extends OpenDocuments {
	readonly open: (path: string, text?: string) => void;
	/** As the user types. */
	readonly type: (path: string, text: string) => void;
	/** What the editor found at a path at some moment, though it is not what is there: nobody has typed it. */
	readonly load: (path: string, text: string) => void;
	/** The editor's names for the encodings of files. */
	readonly encodings: Map<string, string>;
	readonly unsavedNotebooks: Set<string>;
	/** What was asked of the editor, in order. */
	readonly log: readonly string[];
	/** A document that refuses to be edited. */
	readonly refusing: { edit: string | undefined };
}

export function aFakeEditor(): FakeEditor {
	const documents = new Map<string, TextDocument>();
	const encodings = new Map<string, string>();
	const unsavedNotebooks = new Set<string>();
	const loaded = new Set<string>();
	const log: string[] = [];
	const refusing: FakeEditor["refusing"] = { edit: undefined };
	return {
		log,
		encodings,
		unsavedNotebooks,
		refusing,
		open: (path, text = readFileSync(path, "utf8")) =>
			documents.set(path, TextDocument.create(path, "text", 1, text.replace(/^\uFEFF/, ""))),
		load: (path, text) => {
			documents.set(path, TextDocument.create(path, "text", 1, text));
			loaded.add(path);
		},
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
		isUnsaved: async (path) => {
			const text = documents.get(path)?.getText();
			if (text === undefined || loaded.has(path)) return unsavedNotebooks.has(path);
			const bytes = readFileSync(path);
			return !sameText(text, bytes, await encodingOfFile(path, bytes, async () => encodings.get(path)));
		},
	};

	function replace(path: string, text: string): void {
		documents.set(path, TextDocument.create(path, "text", (documents.get(path)?.version ?? 0) + 1, text));
	}
}
