import { t } from "../../../l10n/t.ts";
import type { ToolEntry } from "../../model/thread/entry.ts";
import { showInvisible } from "../../model/words/invisible.ts";

/** The host's reason for running a call without asking. */
export function WhyUnasked({ entry }: { readonly entry: Pick<ToolEntry, "unasked"> }) {
	return entry.unasked === undefined ? null : (
		<p class="plain quiet">{t("Allowed automatically: {0}", showInvisible(entry.unasked))}</p>
	);
}
