import { t } from "../../l10n/t.ts";
import { showInvisible } from "../model/words/invisible.ts";
import { usePage } from "./parts/page-context.ts";

/** The open thread's title, which a click changes. */
export function ThreadTitle() {
	const page = usePage();
	const { title, entries } = page.thread.transcript.value;
	// It keeps its place, so that nothing moves when the thread is there.
	if (page.thread.loading.value && entries.length === 0) return <div class="thread-title">{"\u00a0"}</div>;
	if (page.thread.id.value === null || title === "" || entries.length === 0) return null;
	const shown = showInvisible(title);
	return (
		<button
			type="button"
			class="thread-title"
			title={t("{0} (click to rename)", shown)}
			onClick={() => page.run("renameThread")}
		>
			{shown}
		</button>
	);
}
