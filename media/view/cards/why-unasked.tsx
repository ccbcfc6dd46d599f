import { t } from "../../../l10n/t.ts";
import type { ToolEntry } from "../../model/thread/entry.ts";
import { showInvisible } from "../../model/words/invisible.ts";

/** Why a call ran without a question, in the host's own words. */
export function WhyUnasked({ entry }: { readonly entry: Pick<ToolEntry, "unasked"> }) {
	return entry.unasked === undefined ? null : (
		<p class="plain quiet">{t("Not asked: {0}", showInvisible(entry.unasked))}</p>
	);
}
