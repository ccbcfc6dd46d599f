/** Levels of `vitrine.context.editorContext`, from nothing to everything. */
const LEVELS: readonly unknown[] = ["off", "activeFile", "selection", "openTabs"];

/** The lowest level at which each kind is attached. */
export const LEVEL_OF = { activeFile: 1, selection: 2, openFiles: 3 } as const;

const DEFAULT_LEVEL = "selection";

/** The effective level. In an untrusted workspace nothing is attached automatically, whatever the setting. */
export function resolveLevel(setting: unknown, isTrusted: boolean): number {
	const wanted = setting ?? DEFAULT_LEVEL;
	const level = LEVELS.indexOf(wanted);
	return isTrusted ? Math.max(level, 0) : 0;
}
