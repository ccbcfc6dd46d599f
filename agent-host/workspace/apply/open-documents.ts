import type { Position } from "../../patch/edit.ts";
import type { Encoding } from "../../patch/encoding.ts";
import { readTextFile } from "../../patch/text-file.ts";

/** One change of an open document, in the form of editors. */
export interface DocumentEdit {
	readonly range: { readonly start: Position; readonly end: Position };
	readonly newText: string;
}

/** The editor's open documents. */
export interface OpenDocuments {
	readonly textOf: (path: string) => { readonly text: string; readonly version: number } | undefined;
	/** Applies all edits to exactly that version, or none. Resolves when `textOf` shows them. */
	readonly edit: (path: string, version: number, edits: readonly DocumentEdit[]) => Promise<boolean>;
	/** The editor's name for the encoding that it uses for a file, open or not; undefined if it does not say. */
	readonly encodingOf: (path: string) => Promise<string | undefined>;
	/**
	 * Whether a document or notebook has unsaved changes, which only the editor knows. The text of one that has none is
	 * what the editor found at its path at some moment, and a command may have changed where that led.
	 */
	readonly isUnsaved: (path: string) => Promise<boolean>;
}

export const NO_DOCUMENTS: OpenDocuments = {
	textOf: () => undefined,
	edit: () => Promise.resolve(false),
	encodingOf: () => Promise.resolve(undefined),
	isUnsaved: () => Promise.resolve(false),
};

/** Whether a document shows the file's content. Editors unify line ends and hide the byte-order mark. */
export function sameText(text: string, bytes: Uint8Array, encoding?: Encoding): boolean {
	const file = readTextFile(bytes, encoding);
	if ("refusal" in file) return false;
	return file.text.replace(/\r\n?/g, "\n") === text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
}
