import type { Operation, Patch } from "../../patch/grammar.ts";
import { isNotebookPath } from "../../patch/notebook/read-notebook.ts";
import { findPathProblem, resolvePath } from "../../patch/path.ts";
import { finishInPieces } from "../../patch/pieces.ts";
import { type Change, type Found, type PatchProblem, planPatch } from "../../patch/plan-patch.ts";
import type { Content } from "../files/content.ts";
import { encodingOfFile } from "../files/file-encoding.ts";
import type { Folder, OpenFolder } from "./folder-port.ts";
import type { OpenDocuments } from "./open-documents.ts";
import { createHolder, describeError, findPlace, type Place, type Writable } from "./place.ts";

/** Limit for one file that a patch may touch. */
export const MAX_FILE_BYTES = 16 * 1_048_576;
/** Limit for all files of a patch together; they are held in memory. */
const MAX_TOTAL_BYTES = 64 * 1_048_576;
const MAX_OPERATIONS = 1_000;

/** A whole patch that fits the current files, and the open folders it would change. */
export interface Verified {
	readonly ok: true;
	readonly changes: readonly Change[];
	/** Changes of links, or to links; a patch has none. */
	readonly links?: readonly ContentChange[];
	/** By the path as written in the patch. */
	readonly places: ReadonlyMap<string, Place>;
	/** Open documents with unsaved changes, which are to be edited in the editor, by the path as written in the patch. */
	readonly documents: ReadonlyMap<string, OpenDocument>;
	/** Identifies all files and their real paths; see `identifyTargets`. */
	readonly targets: string;
	/** Opens a folder below a held one. */
	readonly hold: (root: string, path: string) => Promise<Folder>;
	readonly close: () => Promise<void>;
}

/** What is to be at a path, and what is there. */
export interface ContentChange extends Pick<Change, "path" | "movedTo" | "overwritten" | "mode"> {
	readonly before?: Content;
	readonly after?: Content;
}

export interface OpenDocument {
	/** The editor's name for it. */
	readonly path: string;
	readonly text: string;
	readonly version: number;
}

export interface VerifyOptions {
	readonly cwd: string;
	readonly writable: Writable;
	readonly documents: OpenDocuments;
	readonly openFolder: OpenFolder;
	readonly signal?: AbortSignal | undefined;
}

/** Reads and compares everything, and writes nothing. The caller closes the result. */
export async function verifyPatch(patch: Patch, options: VerifyOptions): Promise<Verified | PatchProblem> {
	if (patch.operations.length > MAX_OPERATIONS) {
		return { ok: false, reason: `The patch has more than ${MAX_OPERATIONS} file operations.` };
	}
	const holder = createHolder(options.openFolder);
	const found = new Map<string, Found>();
	const places = new Map<string, Place>();
	const documents = new Map<string, OpenDocument>();
	const seen = { found, places, documents, bytes: 0 };
	try {
		for (const operation of patch.operations) {
			for (const role of listRoles(operation)) {
				// The second mention is a conflict, which the plan reports; the first is what it refers to.
				if (!found.has(role.path)) found.set(role.path, await findFile(role, options, holder, seen));
			}
		}
		const plan = await finishInPieces(
			planPatch(patch, (path) => found.get(path) ?? { state: "absent", resolved: path }),
			options.signal,
		);
		const targets = identifyTargets(patch, (path) => places.get(path));
		const { hold, close } = holder;
		if (plan.ok) return { ok: true, changes: plan.changes, places, documents, targets, hold, close };
		await holder.close();
		return plan;
	} catch (error) {
		await holder.close();
		throw error;
	}
}

export interface Role {
	readonly path: string;
	readonly as: "add" | "delete" | "update" | "moveFrom" | "moveTo";
}

export function listRoles(operation: Operation): readonly Role[] {
	const { path } = operation;
	if (operation.kind !== "update") return [{ path, as: operation.kind }];
	if (operation.movedTo === undefined) return [{ path, as: "update" }];
	return [
		{ path, as: "moveFrom" },
		{ path: operation.movedTo, as: "moveTo" },
	];
}

/** Everything that a verdict depends on, in one line: which files, in what role, where, and whether they exist. */
export function identifyTargets(
	patch: Patch,
	locateProvider: (path: string) => Pick<Place, "resolved" | "entry"> | undefined,
): string {
	const roles = patch.operations.flatMap(listRoles);
	return JSON.stringify(
		roles.map(({ path, as }) => [path, as, locateProvider(path)?.resolved, locateProvider(path)?.entry !== undefined]),
	);
}

/** The files of a patch found so far. */
export interface Seen {
	readonly places: Map<string, Place>;
	readonly documents: Map<string, OpenDocument>;
	bytes: number;
}

/** The file at a path, judged and read; its place and its document are recorded. */
export async function findFile(
	role: Role,
	options: VerifyOptions,
	holder: Parameters<typeof findPlace>[2],
	seen: Seen,
): Promise<Found> {
	const malformed = findPathProblem(role.path);
	const absolute = resolvePath(options.cwd, role.path);
	if (malformed !== undefined) return refuse(absolute, `is not a valid path: ${malformed}.`);
	const place = await findPlace(absolute, options.writable, holder);
	if ("refusal" in place) return refuse(place.resolved, place.refusal);
	return readFound(role, place, options, seen);
}

/** The same for a place that was judged. */
export async function readFound(role: Role, place: Place, options: VerifyOptions, seen: Seen): Promise<Found> {
	const absolute = resolvePath(options.cwd, role.path);
	const { resolved, entry } = place;
	const document = documentAt(options.documents, absolute, resolved);
	if (entry === undefined) {
		if (document !== undefined) return refuse(resolved, "is open in the editor but has never been saved.");
		seen.places.set(role.path, place);
		return { state: "absent", resolved };
	}
	const refusal = findRefusal(place, role);
	if (refusal !== undefined) return refuse(resolved, refusal);
	if (isNotebookPath(resolved) && (await hasUnsavedCells(options.documents, absolute, resolved)))
		return refuse(resolved, UNSAVED_NOTEBOOK);
	const bytes = await place.folder.read(place.name, MAX_FILE_BYTES).catch((error: unknown) => describeError(error));
	if (typeof bytes === "string") return refuse(resolved, bytes);
	seen.bytes += bytes.length;
	if (seen.bytes > MAX_TOTAL_BYTES) return refuse(resolved, "makes the patch too large; split it.");
	seen.places.set(role.path, place);
	const encoding = await encodingOfFile(absolute, bytes, options.documents.encodingOf);
	const file = { resolved, identity: entry.identity, mode: entry.mode, bytes, encoding };
	// Without unsaved changes the file counts: it is written in its held folder, and the editor loads it again.
	if (document === undefined || !(await options.documents.isUnsaved(document.path))) return { state: "file", ...file };
	if (role.as !== "update") return refuse(resolved, "has unsaved changes in the editor.");
	seen.documents.set(role.path, document);
	return { state: "document", ...file, text: document.text };
}

const UNSAVED_NOTEBOOK =
	"has unsaved changes in the editor, which a patch would lose: ask the user to save it, then read it again and patch its cells.";

async function hasUnsavedCells({ isUnsaved }: OpenDocuments, ...paths: readonly string[]): Promise<boolean> {
	return (await Promise.all([...new Set(paths)].map(isUnsaved))).includes(true);
}

function documentAt(documents: OpenDocuments, ...paths: readonly string[]): OpenDocument | undefined {
	for (const path of paths) {
		const document = documents.textOf(path);
		if (document !== undefined) return { path, ...document };
	}
	return undefined;
}

const OWNER_MAY_WRITE = 0o200;

function findRefusal({ entry, isLink, resolved }: Place, { as }: Role): string | undefined {
	if (entry?.kind === "folder") return "is a folder.";
	if (entry?.kind !== "file") return "is not a regular file.";
	if (isLink && as !== "update") return `is a link to ${resolved}; use the file itself.`;
	if (((entry.mode ?? 0) & OWNER_MAY_WRITE) === 0) return "is read-only.";
	return undefined;
}

function refuse(resolved: string, reason: string): Found {
	return { state: "refused", resolved, reason };
}
