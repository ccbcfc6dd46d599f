import { t } from "../../../l10n/t.ts";
import { DiffLines } from "../parts/diff-lines.tsx";
import { StatusMark } from "./status-mark.tsx";

/** Number of newest lines shown while a patch is being written. */
const SHOWN_LINES = 12;

/** A patch while the model writes it. Nothing of it has been applied or can be answered here. */
export function DraftCard({ text }: { readonly text: string }) {
	const lines = text
		.slice(0, text.lastIndexOf("\n") + 1)
		.split("\n")
		.slice(-SHOWN_LINES - 1);
	return (
		<div class="draft">
			<div class="fold-summary">
				<StatusMark status="running" />
				<span class="fold-title">{t("Writing a patch")}</span>
			</div>
			<div class="code" aria-hidden="true">
				<div class="output">
					<DiffLines text={lines.join("\n")} />
				</div>
			</div>
		</div>
	);
}
