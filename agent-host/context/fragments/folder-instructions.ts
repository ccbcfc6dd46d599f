import type { InstructionFile } from "../../envelope/envelope.ts";
import { oneLine } from "../../permissions/words/one-line.ts";
import { defineFragment } from "../fragment.ts";

export interface FolderInstructions {
	/** Those that are new, or changed; all of them if `isWhole`. */
	readonly files: readonly (InstructionFile & {
		/** Stated before with another text. */
		readonly isChanged: boolean;
		/** How many characters of it fit. */
		readonly maxChars: number;
	})[];
	/** Paths of files that no longer count. */
	readonly removed: readonly string[];
	/** Whether everything that was stated before is replaced. */
	readonly isWhole: boolean;
}

const SCOPE = "Each applies to files in its folder and below, in addition to the other instructions.";

/** Instructions of folders below the working folder. */
export const folderInstructions = defineFragment<FolderInstructions>({
	kind: "folder-instructions",
	role: "user",
	tag: "folder_instructions",
	origin: "workspace",
	maxChars: 400_000,
	about: "AGENTS.md files of folders below the working folder, once files there are read, changed or worked on.",
	summary: ({ files, removed }) => {
		const names = [...files.map(({ path }) => path), ...removed.map((path) => `− ${path}`)];
		return names.length === 0 ? "folder instructions removed" : `folder instructions: ${names.join(", ")}`;
	},
	body: ({ files, removed, isWhole }) => {
		if (isWhole && files.length === 0) return "The earlier instructions of folders no longer apply.";
		const opening = [
			...(isWhole ? ["These replace all earlier instructions of folders."] : []),
			...(files.length > 0 ? [SCOPE] : []),
		];
		return [
			...(opening.length > 0 ? [opening.join(" ")] : []),
			...files.map(stateFile),
			...(removed.length > 0 ? [["No longer apply:", ...removed.map((path) => `- ${oneLine(path)}`)].join("\n")] : []),
		].join("\n\n");
	},
});

function stateFile({ path, text, cut, isChanged, maxChars }: FolderInstructions["files"][number]): string {
	const notes = [...(isChanged ? ["replaces its earlier text"] : []), ...(cut === undefined ? [] : [cut])];
	const note = notes.length === 0 ? "" : ` (${notes.join("; ")})`;
	const left = text.length - maxChars;
	const shown =
		left <= 0
			? text
			: `${text.slice(0, maxChars)}\n[truncated: ${left} more characters do not fit in the context window]`;
	return `From ${oneLine(path)}${note}:\n${shown}`;
}
