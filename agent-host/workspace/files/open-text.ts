import { dirname } from "node:path";
import { isInside } from "../../permissions/reach/reach.ts";
import { resolveInside } from "./read-files.ts";
import type { Readable } from "./readable.ts";

/** The editor's text by absolute path. With unsaved changes it wins over the disk. */
export type OpenText = ReadonlyMap<string, string>;

/** Whether a document has unsaved changes, as the editor says. Only then its text is the user's, and not just loaded. */
export type IsUnsaved = (path: string) => Promise<boolean>;

/** Those of the documents at and below a path that have unsaved changes. */
export async function keepUnsaved(path: string, documents: OpenText, isUnsaved: IsUnsaved): Promise<OpenText> {
	const below = [...documents].filter(([open]) => isInside(open, path));
	const unsaved = await Promise.all(below.map(([open]) => isUnsaved(open)));
	return new Map(below.filter((_, index) => unsaved[index]));
}

/** The open text of a file, if the file's real path may be read; the same rule as for the disk. */
export async function openTextInside(
	path: string,
	readable: Readable,
	documents: OpenText,
): Promise<string | undefined> {
	const place = await resolveInside(path, readable);
	if (place.ok) return documents.get(path) ?? documents.get(place.real);
	// An unsaved new document has no file yet; then its folder decides.
	if (!documents.has(path) || !place.missing) return undefined;
	const folder = await resolveInside(dirname(path), readable);
	return folder.ok ? documents.get(path) : undefined;
}

/** The readable open documents below `folder`, at most `limit` of them. */
export async function openTextsBelow(
	folder: string,
	readable: Readable,
	documents: OpenText,
	limit: number,
): Promise<readonly (readonly [path: string, text: string])[]> {
	const below = [...documents.keys()].filter((path) => isInside(path, folder)).slice(0, limit);
	const texts = await Promise.all(below.map((path) => openTextInside(path, readable, documents)));
	return below.flatMap((path, index) => {
		const text = texts[index];
		return text === undefined ? [] : [[path, text] as const];
	});
}
