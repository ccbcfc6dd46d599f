import * as z from "zod";

/** More tools than one person picks by hand. */
export const MAX_EDITOR_TOOLS = 64;
const MAX_NAME_CHARS = 128;

/** The editor's own and its assistant's: they edit, run and fetch past everything that is decided here. */
const CLOSED = /^(?:vscode|copilot)_/i;

export const EditorToolName = z
	.string()
	.min(1)
	.max(MAX_NAME_CHARS)
	.refine((name) => !CLOSED.test(name), "cannot contain tools whose names start with vscode_ or copilot_");

/** Tools that other extensions and MCP servers offer in the editor, by name. */
export const EditorToolsSettings = z.array(EditorToolName).max(MAX_EDITOR_TOOLS);
