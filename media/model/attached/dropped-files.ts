import { t } from "../../../l10n/t.ts";
import { MAX_DROPPED_CHARS, MAX_DROPPED_FILES } from "../../wire/limits.ts";

/** UTF-8 takes at most three bytes for each character as JavaScript counts them. */
const MAX_DROPPED_BYTES = MAX_DROPPED_CHARS * 3;

/** What was dropped or pasted: files of the editor by their addresses, or files of the system, which have no path here. */
export type Dropped =
	| { readonly from: "editor"; readonly uris: readonly string[] }
	| { readonly from: "system"; readonly files: readonly File[] };

/** What the editor's own lists and tabs are dragged as. */
const EDITOR_LIST = "application/vnd.code.uri-list";
const URI_LIST = "text/uri-list";

/** The files in what was dropped or pasted; undefined leaves everything to the browser, such as words and links. */
export function readDropped(transfer: Pick<DataTransfer, "files" | "getData">): Dropped | undefined {
	const own = readUris(transfer.getData(EDITOR_LIST));
	const uris = own.length > 0 ? own : readUris(transfer.getData(URI_LIST)).filter((uri) => /^file:/i.test(uri));
	if (uris.length > 0) return { from: "editor", uris };
	return transfer.files.length > 0 ? { from: "system", files: [...transfer.files] } : undefined;
}

/** Whether there may be files in what is being dragged, of which only the types can be seen. */
export function mayHoldFiles(types: readonly string[]): boolean {
	return types.includes("Files") || types.includes(EDITOR_LIST);
}

/** One sentence when not all of them can go along. */
export function checkFileCount(count: number): string | undefined {
	return count > MAX_DROPPED_FILES ? t("Only the first {0} files are attached.", MAX_DROPPED_FILES) : undefined;
}

/** Why a file is no text that can go along; undefined when it may be one. It is read only then. */
export function checkFileSize({ name, size }: { readonly name: string; readonly size: number }): string | undefined {
	return size > MAX_DROPPED_BYTES ? tooLong(name) : undefined;
}

/** The same once it was read; what is no text could not be. */
export function checkFileText(name: string, text: string | undefined): string | undefined {
	if (text === undefined) return t("{0} cannot be read as text.", name);
	return text.length > MAX_DROPPED_CHARS ? tooLong(name) : undefined;
}

function tooLong(name: string): string {
	const words =
		"{0} is too long: an attached text may have {1} characters. Save it in the workspace and mention it with @.";
	return t(words, name, MAX_DROPPED_CHARS);
}

/** A list of addresses, one a line; lines that begin with # are comments. */
function readUris(list: string): readonly string[] {
	return list
		.split(/\r?\n/)
		.map((line) => line.trim())
		.filter((line) => line !== "" && !line.startsWith("#"));
}
