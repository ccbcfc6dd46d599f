import type { Edit } from "../../patch/edit.ts";
import { resolvePath } from "../../patch/path.ts";
import type { Change, Found, PatchProblem } from "../../patch/plan-patch.ts";
import { countLines, readTextFile, savedBytes, splitText, type TextFile } from "../../patch/text-file.ts";
import { diffLines } from "../../review/diff-lines.ts";
import { type Content, isLink } from "../files/content.ts";
import { hashContent } from "./hash-bytes.ts";
import { NO_DOCUMENTS, type OpenDocuments, sameText } from "./open-documents.ts";
import { createHolder, findOwnPlace, type Holder } from "./place.ts";
import { type ContentChange, readFound, type Seen, type Verified, type VerifyOptions } from "./verify.ts";

/** A file or link that will be given another content, or be removed. No link on the way to it is followed. */
export interface WantedFile {
	/** Absolute. */
	readonly path: string;
	/** The hash of its current content, including unsaved text; undefined if there must be none. */
	readonly expected: string | undefined;
	/** Undefined if there will be nothing. */
	readonly after: Content | undefined;
	/** Permission bits if there is no file yet; without them, it becomes like the user's new files. */
	readonly mode?: number | undefined;
}

/** Examines every file as a patch does, and refuses all if one does not have its expected content. */
export async function verifyWanted(
	wanted: readonly WantedFile[],
	options: VerifyOptions,
): Promise<Verified | PatchProblem> {
	const holder = createHolder(options.openFolder);
	const seen = { places: new Map(), documents: new Map(), bytes: 0 };
	const changes: Change[] = [];
	const links: ContentChange[] = [];
	try {
		for (const one of wanted) {
			const found = await findWanted(one, options, holder, seen);
			if (found !== undefined && "ok" in found) {
				await holder.close();
				return found;
			}
			if (found !== undefined) "operation" in found ? changes.push(found) : links.push(found);
		}
		return { ok: true, changes, links, ...seen, targets: "", hold: holder.hold, close: holder.close };
	} catch (error) {
		await holder.close();
		throw error;
	}
}

async function findWanted(
	one: WantedFile,
	options: VerifyOptions,
	holder: Holder,
	seen: Seen,
): Promise<Change | ContentChange | PatchProblem | undefined> {
	const { path, after } = one;
	// A model's mistakes in a path are none here: a command may give a file any name.
	const place = await findOwnPlace(resolvePath(options.cwd, path), options.writable, holder);
	if ("refusal" in place) return refuse(path, place.refusal);
	const documents = withoutGhost(one, options.documents);
	if (place.entry?.kind === "link") {
		seen.places.set(path, place);
		const now = { target: await place.folder.readLink(place.name) };
		return hashContent(now) === one.expected ? toLinkChange(one, now) : refuse(path, CHANGED);
	}
	const role = { path, as: after === undefined ? "delete" : "update" } as const;
	const found = await readFound(role, place, { ...options, documents }, seen);
	if (found.state === "refused") return refuse(path, found.reason);
	const now = readContent(found);
	if ((now && hashContent(now)) !== one.expected) return refuse(path, CHANGED);
	if (!isLink(after)) return toChange({ ...one, after }, found);
	return found.state === "document" ? refuse(path, "has unsaved changes in the editor.") : toLinkChange(one, now);
}

const CHANGED = "changed in the meantime.";

function toLinkChange({ path, after, mode }: WantedFile, before: Content | undefined): ContentChange {
	return { path, ...(before && { before }), ...(after && { after }), ...(mode === undefined ? {} : { mode }) };
}

/** A deleted file may still be open in the editor. If that shows the content to be restored, there is no conflict. */
function withoutGhost({ path, expected, after }: WantedFile, documents: OpenDocuments): OpenDocuments {
	const document = expected === undefined ? documents.textOf(path) : undefined;
	const isGhost = document !== undefined && after !== undefined && !isLink(after) && sameText(document.text, after);
	return isGhost ? NO_DOCUMENTS : documents;
}

function toChange(
	{ path, after, mode }: WantedFile & { readonly after: Uint8Array | undefined },
	found: Exclude<Found, { state: "refused" }>,
): Change | PatchProblem | undefined {
	const { resolved } = found;
	const counts = { added: 0, removed: 0 };
	if (found.state === "absent") {
		if (after === undefined) return undefined;
		return { operation: "add", path, resolved, after, ...(mode === undefined ? {} : { mode }), edits: [], ...counts };
	}
	const before = found.bytes;
	if (after === undefined) return { operation: "delete", path, resolved, before, edits: [], ...counts };
	if (found.state === "file") return { operation: "update", path, resolved, before, after, edits: [], ...counts };
	const [text, next] = [splitText(found.text), readTextFile(after, found.encoding)];
	if ("refusal" in text) return refuse(path, `${text.refusal}.`);
	if ("refusal" in next) return refuse(path, `${next.refusal}, and it is open in the editor.`);
	const edits = editsBetween(text, next);
	return { operation: "update", path, resolved, before, after, text, edits, isOpen: true, ...counts };
}

function readContent(found: Exclude<Found, { state: "refused" }>): Uint8Array | undefined {
	if (found.state === "absent") return undefined;
	return found.state === "file" ? found.bytes : savedBytes(found.text, found.bytes, found.encoding);
}

function editsBetween(text: TextFile, next: TextFile): readonly Edit[] {
	const splitLines = (file: TextFile) =>
		Array.from({ length: countLines(file) }, (_, index) => file.text.slice(file.starts[index], file.starts[index + 1]));
	const [now, then] = [splitLines(text), splitLines(next)];
	return diffLines(now, then).map(({ from, to, at, until }) => ({
		start: text.starts[from] ?? text.text.length,
		end: text.starts[to] ?? text.text.length,
		text: then.slice(at, until).join(""),
	}));
}

function refuse(path: string, reason: string): PatchProblem {
	return { ok: false, path, reason: `${path} ${reason}` };
}
