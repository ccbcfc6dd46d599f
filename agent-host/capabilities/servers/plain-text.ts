import { findNeededOrHidden } from "../../protocol/invisible.ts";

/** A server's text without control, bidirectional and invisible characters, and not longer than that. */
export function plainText(text: string, chars: number): string {
	const visible = text
		.slice(0, 2 * chars)
		.replaceAll(findNeededOrHidden(), (found, hidden?: string) => (hidden === undefined ? found : ""))
		.trim();
	return visible.length <= chars ? visible : `${visible.slice(0, chars).toWellFormed()}…`;
}
