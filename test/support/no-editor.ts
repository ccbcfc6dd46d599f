import type { EditorKnowledge, EditorToolClient } from "../../agent-host/session/ports/ports.ts";

const refuse = () => Promise.reject(new Error("there is no editor"));

/** An editor that knows nothing. */
export const NO_EDITOR: EditorKnowledge = {
	problems: refuse,
	locate: refuse,
	outline: refuse,
	symbols: refuse,
	hover: refuse,
	actions: refuse,
	rename: refuse,
	tasks: refuse,
};

/** One whose tools cannot be asked for. */
export const NO_EDITOR_TOOLS: EditorToolClient = { list: refuse, call: refuse };
