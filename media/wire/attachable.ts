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
	| "text";

/** Something that can go with a prompt. The page knows its name only; the extension reads it when it is sent. */
export interface Attachable {
	readonly key: string;
	readonly kind: AttachableKind;
	/** What the chip says, and what of it is sent: `retry.ts:40-62`. */
	readonly label: string;
	readonly title: string;
}

/** What the editor shows now. It goes along unless the reader switches its kind off. */
export interface EditorChip extends Attachable {
	readonly isOn: boolean;
}

/** What a mention can be about. */
export interface Mention extends Attachable {
	/** What stands after the @ in the text. */
	readonly name: string;
	readonly detail: string;
}
