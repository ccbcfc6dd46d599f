import { t } from "../../../l10n/t.ts";
import { MAX_DROPPED_CHARS, MAX_DROPPED_FILES } from "../../wire/limits.ts";

/** UTF-8 needs at most three bytes for a JavaScript character. */
const MAX_DROPPED_BYTES = MAX_DROPPED_CHARS * 3;

/** Dropped or pasted files: from the editor as URIs, from the system as files without a path. */
export type Dropped =
	| { readonly from: "editor"; readonly uris: readonly string[] }
	| { readonly from: "system"; readonly files: readonly File[] };

/** Format of files that are dragged from the editor's lists and tabs. */
const EDITOR_LIST = "application/vnd.code.uri-list";
const URI_LIST = "text/uri-list";

/** Reads the dropped or pasted files; undefined for text and links, which the browser inserts. */
export function readDropped(transfer: Pick<DataTransfer, "files" | "getData">): Dropped | undefined {
	const own = readUris(transfer.getData(EDITOR_LIST));
	const uris = own.length > 0 ? own : readUris(transfer.getData(URI_LIST)).filter((uri) => /^file:/i.test(uri));
	if (uris.length > 0) return { from: "editor", uris };
	return transfer.files.length > 0 ? { from: "system", files: [...transfer.files] } : undefined;
}

/** Whether a drag may contain files. Only the types are known before the drop. */
export function mayHoldFiles(types: readonly string[]): boolean {
	return types.includes("Files") || types.includes(EDITOR_LIST);
}

/** Returns why not all of the files can be attached, if so. */
export function checkFileCount(count: number): string | undefined {
	return count > MAX_DROPPED_FILES ? t("Only the first {0} files are attached.", MAX_DROPPED_FILES) : undefined;
}

/** Returns why a file is too large to be attached as text. Called before it is read. */
export function checkFileSize({ name, size }: { readonly name: string; readonly size: number }): string | undefined {
	return size > MAX_DROPPED_BYTES ? tooLong(name) : undefined;
}

/** Returns why a file that was read cannot be attached as text. */
export function checkFileText(name: string, text: string | undefined): string | undefined {
	if (text === undefined) return t("{0} can't be read as text.", name);
	return text.length > MAX_DROPPED_CHARS ? tooLong(name) : undefined;
}

function tooLong(name: string): string {
	const words = "{0} is too long (limit {1} characters). Save it in the workspace and mention it with @.";
	return t(words, name, MAX_DROPPED_CHARS);
}

/** Parses a list of URIs, one per line; lines that start with # are comments. */
function readUris(list: string): readonly string[] {
	return list
		.split(/\r?\n/)
		.map((line) => line.trim())
		.filter((line) => line !== "" && !line.startsWith("#"));
}
