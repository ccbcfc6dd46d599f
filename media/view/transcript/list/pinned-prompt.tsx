import type { Signal } from "@preact/signals";
import { t } from "../../../../l10n/t.ts";
import { showInvisible } from "../../../model/words/invisible.ts";
import { usePage } from "../../parts/page-context.ts";

/** Height of the pinned prompt, as in the style sheet; what is scrolled to the top stays below it. */
export const PINNED_PX = 50;

/** How much of a prompt can be seen on two lines. */
const SHOWN_CHARS = 300;

/** The prompt of the running turn, at the top while it is scrolled out of view. */
export function PinnedPrompt({ isAbove }: { readonly isAbove: Signal<boolean> }) {
	const page = usePage();
	const prompt = page.thread.runningPrompt.value;
	if (prompt === undefined || !isAbove.value) return null;
	return (
		<button
			type="button"
			class="pinned-prompt"
			title={t("Go to Prompt")}
			onClick={() => page.scrollTo({ to: "row", key: prompt.key })}
		>
			<span class="pinned-text">{showInvisible(prompt.text.slice(0, SHOWN_CHARS).toWellFormed())}</span>
		</button>
	);
}
