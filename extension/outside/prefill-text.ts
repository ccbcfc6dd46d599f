import { findNeededOrHidden } from "../../agent-host/protocol/invisible.ts";
import { t } from "../../l10n/t.ts";

/** The longest text that a link or another extension may put into the composer: more than this nobody reads. */
const MAX_PREFILL = 4_000;

/**
 * The text as the user will see it, without characters that show nothing. What the composer reads as a command is
 * refused: Enter on somebody else's text only ever sends a prompt.
 */
export function cleanPrefill(given: unknown): string {
	if (typeof given !== "string") throw new Error(t("There is no text to fill in."));
	const text = given
		.replaceAll("\r\n", "\n")
		.replace(findNeededOrHidden(), (found, hidden?: string) => (hidden === undefined ? found : ""))
		.trim();
	if (text === "") throw new Error(t("There is no text to fill in."));
	if (text.length > MAX_PREFILL) throw new Error(t("The text to fill in is longer than {0} characters.", MAX_PREFILL));
	if (/^[/!]/.test(text)) throw new Error(t("Only a prompt can be filled in, not a command."));
	return text;
}
