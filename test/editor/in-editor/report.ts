/** What is claimed inside the extension host; here, so that each can be a test where nothing of the editor is at hand. */
export const TITLES = [
	"the extension is installed and activates",
	"activation starts no agent host",
	"every command of the manifest is registered",
	"no key of ours is one of the editor's own, unless it counts in our views only",
	"the manifest names no proposed API",
	"every setting is ours and has a default",
	"each report is a document, and the diagnostics hold nothing that was typed into a setting",
	"the editor lists the tools that are lent, and another extension reads a file with one, but none outside",
	"another extension starts a thread, sends a prompt and follows the answer to its end",
	"@vitrine answers in the editor's own chat, in a thread of Vitrine",
] as const;
export type Title = (typeof TITLES)[number];

/** What one case said, as written to the file that `VITRINE_TEST_REPORT` names. */
export interface CaseResult {
	readonly title: Title;
	/** Absent when it passed. */
	readonly problem?: string;
}
