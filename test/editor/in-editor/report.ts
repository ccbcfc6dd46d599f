/** What is claimed inside the extension host; here, so that each can be a test where nothing of the editor is at hand. */
export const TITLES = [
	"the extension is installed and activates",
	"activation starts no agent host",
	"every command of the manifest is registered",
	"none of our key bindings takes a default of the editor, except inside our own views",
	"the manifest names no proposed API",
	"every setting begins with vitrine. and has a default",
	"each report opens as a document, and the diagnostics contain nothing that was typed into a setting",
	"the editor lists the lent tools, and with one another extension reads a workspace file but none outside",
	"another extension starts a thread, sends a prompt and follows the turn to its end",
	"@vitrine answers in the editor's own chat, in a thread of Vitrine",
] as const;
export type Title = (typeof TITLES)[number];

/** What one case said, as written to the file that `VITRINE_TEST_REPORT` names. */
export interface CaseResult {
	readonly title: Title;
	/** Absent when it passed. */
	readonly problem?: string;
}
