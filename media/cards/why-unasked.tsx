import { t } from "../../l10n/t.ts";
import type { ToolEntry } from "../transcript/entry.ts";
import { showInvisible } from "../view/invisible.ts";

/** Why a call ran without a question, in the host's own words. */
export function WhyUnasked({ entry }: { readonly entry: Pick<ToolEntry, "unasked"> }) {
	return entry.unasked === undefined ? null : (
		<p class="plain quiet">{t("Not asked: {0}", showInvisible(entry.unasked))}</p>
	);
}
