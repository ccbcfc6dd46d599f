import { findNeededOrHidden } from "../protocol/invisible.ts";

/** Text from outside for a terminal or a dialog: what a reader would not see, or a terminal would obey, is spelled out. */
export function makeVisible(text: string): string {
	return text.replaceAll(findNeededOrHidden(), (found: string, hidden: string | undefined) =>
		hidden === undefined ? found : `\\u{${hidden.codePointAt(0)?.toString(16)}}`,
	);
}

/** The same for a value that must stay on one line. */
export function makeVisibleLine(text: string): string {
	return makeVisible(text).replaceAll("\n", "\\n");
}
