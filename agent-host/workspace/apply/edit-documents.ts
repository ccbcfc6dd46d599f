import { applyEdits, type Edit, findPosition, invertEdits } from "../../patch/edit.ts";
import type { Change } from "../../patch/plan-patch.ts";
import { splitText } from "../../patch/text-file.ts";
import type { DocumentEdit, OpenDocuments } from "./open-documents.ts";
import type { OpenDocument } from "./verify.ts";

/** The result for a document: its new text, which is not on the disk. */
export interface EditedDocument {
	readonly change: Change;
	readonly text: string;
}

export type EditedDocuments =
	| { readonly ok: true; readonly edited: readonly EditedDocument[] }
	| {
			readonly ok: false;
			readonly path: string;
			readonly reason: string;
			/** Documents that could not be rolled back. */
			readonly stuck: readonly string[];
	  };

/**
 * Edits open documents with unsaved changes, one after the other, each at exactly the version that was compared. If one
 * refuses, the others are rolled back. They stay unsaved: the editor would save by a path, wherever that leads by then.
 */
export async function editDocuments(
	work: readonly { readonly change: Change; readonly document: OpenDocument }[],
	documents: OpenDocuments,
): Promise<EditedDocuments> {
	const done: { readonly change: Change; readonly document: OpenDocument }[] = [];
	const edited: EditedDocument[] = [];
	for (const { change, document } of work) {
		const reason = await editOne(change, document, documents, done);
		if (reason !== undefined) {
			const stuck = await takeBack(done.toReversed(), documents);
			return { ok: false, path: change.path, reason, stuck };
		}
		edited.push({ change, text: documents.textOf(document.path)?.text ?? "" });
	}
	return { ok: true, edited };
}

async function editOne(
	change: Change,
	document: OpenDocument,
	documents: OpenDocuments,
	done: { readonly change: Change; readonly document: OpenDocument }[],
): Promise<string | undefined> {
	if (change.edits.length === 0) return undefined;
	const edits = toDocumentEdits(document.text, change.edits);
	const isApplied = await documents.edit(document.path, document.version, edits).catch(() => false);
	if (!isApplied) return "was changed in the editor in the meantime.";
	done.push({ change, document });
	return undefined;
}

async function takeBack(
	done: readonly { readonly change: Change; readonly document: OpenDocument }[],
	documents: OpenDocuments,
): Promise<readonly string[]> {
	const stuck: string[] = [];
	for (const { change, document } of done) {
		const after = applyEdits(document.text, change.edits);
		const now = documents.textOf(document.path);
		// The user has continued from there: removing our part could remove theirs.
		const isOurs = now?.text === after;
		const inverse = toDocumentEdits(after, invertEdits(document.text, change.edits));
		const isBack =
			now !== undefined && isOurs && (await documents.edit(document.path, now.version, inverse).catch(() => false));
		if (!isBack) stuck.push(change.path);
	}
	return stuck;
}

function toDocumentEdits(text: string, edits: readonly Edit[]): readonly DocumentEdit[] {
	const file = splitText(text);
	if ("refusal" in file) return [];
	return edits.map(({ start, end, text: newText }) => ({
		range: { start: findPosition(file, start), end: findPosition(file, end) },
		newText,
	}));
}
