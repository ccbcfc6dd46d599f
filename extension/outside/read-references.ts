import * as vscode from "vscode";
import type { UserInput } from "../../agent-host/protocol/thread/turn.ts";
import { t } from "../../l10n/t.ts";
import { MAX_DROPPED_FILES } from "../../media/wire/limits.ts";
import { describeOutside, offerInWorkspace } from "../attach/dropped-files.ts";
import { LEVEL_OF } from "../attach/editor-context-level.ts";
import { offerSelection, readLevel } from "../attach/editor-state.ts";
import { toExcerpt } from "../attach/lines.ts";
import { looksSecret } from "../attach/secret-files.ts";

/** What is attached to a message in the editor's own chat. */
export interface ReadReferences {
	readonly attached: readonly UserInput[];
	/** Why not everything is sent, one sentence each. */
	readonly problems: readonly string[];
}

type Reference = Pick<vscode.ChatPromptReference, "id" | "modelDescription" | "value">;

/** What the editor attaches without being told to: the file that is open, what is selected or visible in it. */
const AUTOMATIC = "vscode.implicit";
/** Instructions that the editor has found. Vitrine follows its own, after consent. */
const INSTRUCTIONS = "vscode.prompt.instructions";

/** Reads it under the rules of the panel: files of the workspace by name, selections and texts as they are now. */
export async function readReferences(references: readonly Reference[]): Promise<ReadReferences> {
	// The editor lists the last one first.
	const wanted = references.toReversed().filter(({ id }) => !id.startsWith(INSTRUCTIONS));
	const read = await Promise.all(wanted.slice(0, MAX_DROPPED_FILES).map(readReference));
	const attached = read.flatMap((one) => one.attached ?? []);
	const outside = read.flatMap((one) => one.outside ?? []);
	return {
		attached: [...new Map(attached.map((input) => [JSON.stringify(input), input])).values()],
		problems: [
			...(wanted.length > MAX_DROPPED_FILES ? [t("Only the first {0} files are attached.", MAX_DROPPED_FILES)] : []),
			...(outside.length > 0 ? [describeOutside(outside)] : []),
			...(read.some((one) => one.isUnknown)
				? [t("Some attachments can't be sent from this chat. Attach them in Vitrine's chat.")]
				: []),
		],
	};
}

/** Nothing at all if the settings leave it out. */
interface ReadReference {
	readonly attached?: UserInput;
	readonly outside?: string;
	readonly isUnknown?: true;
}

async function readReference({ id, modelDescription, value }: Reference): Promise<ReadReference> {
	const isAutomatic = id.startsWith(AUTOMATIC);
	if (typeof value === "string") {
		if (isAutomatic) return {};
		return { attached: toExcerpt(modelDescription || "text attached in the editor's chat", value) };
	}
	const uri = value instanceof vscode.Location ? value.uri : value;
	if (!(uri instanceof vscode.Uri)) return { isUnknown: true };
	if (isAutomatic && readLevel() < LEVEL_OF.activeFile) return {};
	const file = await offerInWorkspace(uri);
	if (file === undefined) return { outside: vscode.workspace.asRelativePath(uri) };
	if (!(value instanceof vscode.Location) || (isAutomatic && !mayAttachText(id, uri))) {
		return { attached: await file.read() };
	}
	const document = await vscode.workspace.openTextDocument(uri);
	return { attached: await offerSelection({ document, selection: document.validateRange(value.range) }).read() };
}

/** What happens to be visible was not selected, and text of a file with secrets takes more than an open editor. */
function mayAttachText(id: string, { path }: vscode.Uri): boolean {
	return id === `${AUTOMATIC}.selection` && readLevel() >= LEVEL_OF.selection && !looksSecret(path);
}
