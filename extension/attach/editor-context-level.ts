/** How much of the editor goes along by itself: `vitrine.context.editorContext`, from nothing to all. */
const LEVELS: readonly string[] = ["off", "activeFile", "selection", "openTabs"];

/** The levels from which on each goes along. */
export const LEVEL_OF = { activeFile: 1, selection: 2, openFiles: 3 } as const;

const DEFAULT_LEVEL = "selection";

/** The level in force. In a workspace that is not trusted, nothing goes along by itself, whatever is set. */
export function resolveLevel(setting: unknown, isTrusted: boolean): number {
	const wanted = setting ?? DEFAULT_LEVEL;
	const level = LEVELS.findIndex((name) => name === wanted);
	return isTrusted ? Math.max(level, 0) : 0;
}
