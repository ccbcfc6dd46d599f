export type AttachableKind =
	| "activeFile"
	| "selection"
	| "openFiles"
	| "problems"
	| "file"
	| "folder"
	| "symbol"
	| "changes"
	| "terminal"
	| "thread"
	| "resource"
	| "text";

/** Something that can be attached to a prompt. The page only knows its name; the extension reads it when it is sent. */
export interface Attachable {
	readonly key: string;
	readonly kind: AttachableKind;
	/** Label of the chip, with the lines that are sent: `retry.ts:40-62`. */
	readonly label: string;
	readonly title: string;
}

/** Something from the active editor, attached unless the user switches its kind off. */
export interface EditorChip extends Attachable {
	readonly isOn: boolean;
}

/** Something that can be mentioned. */
export interface Mention extends Attachable {
	/** The text after the @. */
	readonly name: string;
	readonly detail: string;
}
