import { t } from "../../../l10n/t.ts";
import { Icon } from "./icon.tsx";
import { usePage } from "./page-context.ts";

interface Props {
	readonly label: string;
	/** Called when the user copies. */
	readonly copied: () => string;
}

/** The line above code or output: a label and a button that copies everything. */
export function CodeBar({ label, copied }: Props) {
	const page = usePage();
	return (
		<div class="code-bar">
			<span class="code-language">{label}</span>
			<button
				type="button"
				class="icon-button"
				title={t("Copy")}
				aria-label={t("Copy: {0}", label)}
				onClick={() => page.copy(copied())}
			>
				<Icon name="copy" />
			</button>
		</div>
	);
}
