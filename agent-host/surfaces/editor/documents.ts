import { fileURLToPath } from "node:url";
import { TextDocument } from "vscode-languageserver-textdocument";
import * as z from "zod";
import { isSamePlace } from "../../permissions/reach/reach.ts";
import { findRealPath } from "../../workspace/files/real-path.ts";

/** Limit for an open document that the host keeps; a larger one is read from disk instead. */
const MAX_DOCUMENT_CHARS = 10_000_000;

const Position = z.object({ line: z.int().min(0), character: z.int().min(0) });

export const DidOpen = z.object({
	textDocument: z.object({ uri: z.string(), languageId: z.string(), version: z.number(), text: z.string() }),
});

export const DidChange = z.object({
	textDocument: z.object({ uri: z.string(), version: z.number() }),
	contentChanges: z.array(
		z.union([
			z.object({ range: z.object({ start: Position, end: Position }), text: z.string() }),
			z.object({ text: z.string() }),
		]),
	),
});

/** The text is included only if a client sends it unasked; the last reported text is what was saved. */
export const DidSave = z.object({ textDocument: z.object({ uri: z.string() }), text: z.string().optional() });

export const DidClose = z.object({ textDocument: z.object({ uri: z.string() }) });

/** The editor's open documents, as it reports them. */
export interface Documents {
	/** Texts by path, as the user sees them. */
	readonly texts: Map<string, string>;
	readonly open: (params: z.infer<typeof DidOpen>) => void;
	readonly change: (params: z.infer<typeof DidChange>) => void;
	readonly save: (params: z.infer<typeof DidSave>) => void;
	readonly close: (params: z.infer<typeof DidClose>) => void;
	/** The document of a file, with the editor's URI for it, which may lead through links. */
	readonly find: (
		path: string,
	) => { readonly uri: string; readonly version: number; readonly text: string } | undefined;
	/** Calls back at every change, until the returned function is called. */
	readonly onChange: (listener: () => void) => () => void;
}

export function createDocuments(): Documents {
	const texts = new Map<string, string>();
	const documents = new Map<string, TextDocument>();
	/** Where documents are whose paths lead through links. */
	const linked = new Map<string, string>();
	const listeners = new Set<() => void>();
	const forget = (uri: string): void => {
		documents.delete(uri);
		linked.delete(uri);
		const path = toPath(uri);
		if (path !== undefined) texts.delete(path);
	};
	const keep = (document: TextDocument): void => {
		const text = document.getText();
		if (text.length > MAX_DOCUMENT_CHARS) {
			forget(document.uri);
			return;
		}
		documents.set(document.uri, document);
		const path = toPath(document.uri);
		if (path !== undefined) texts.set(path, text);
		for (const listener of listeners) listener();
	};
	// On Windows an editor writes the letter of a drive small, which the file system does not.
	const isAt = (uri: string, path: string): boolean => isSamePlace(toPath(uri) ?? uri, path);
	// A link may have been turned since.
	const leadsTo = (uri: string, path: string): boolean =>
		linked.get(uri) === path && findRealPath(toPath(uri) ?? uri).real === path;
	return {
		texts,
		find: (path) => {
			const all = [...documents.values()];
			const document = all.find(({ uri }) => isAt(uri, path)) ?? all.find(({ uri }) => leadsTo(uri, path));
			if (document === undefined) return undefined;
			return { uri: document.uri, version: document.version, text: document.getText() };
		},
		onChange: (listener) => {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
		open: ({ textDocument: { uri, languageId, version, text } }) => {
			const path = toPath(uri);
			const real = path === undefined ? undefined : findRealPath(path).real;
			if (real !== undefined && real !== path) linked.set(uri, real);
			keep(TextDocument.create(uri, languageId, version, text));
		},
		change: ({ textDocument: { uri, version }, contentChanges }) => {
			const document = documents.get(uri);
			if (document !== undefined) keep(TextDocument.update(document, contentChanges, version));
		},
		save: ({ textDocument: { uri }, text }) => {
			const document = documents.get(uri);
			if (document === undefined || text === undefined || text === document.getText()) return;
			keep(TextDocument.create(uri, document.languageId, document.version, text));
		},
		close: ({ textDocument: { uri } }) => forget(uri),
	};
}

/** The path of a local file; undefined for untitled and remote documents. */
export function toPath(uri: string): string | undefined {
	if (!uri.startsWith("file:")) return undefined;
	try {
		return fileURLToPath(uri);
	} catch {
		return undefined;
	}
}
