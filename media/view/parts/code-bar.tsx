import { t } from "../../../l10n/t.ts";
import { Icon } from "./icon.tsx";
import { usePage } from "./page-context.ts";

interface Props {
	readonly label: string;
	/** Made when it is asked for. */
	readonly copied: () => string;
}

/** The line above code or output: what it is, and a way to copy all of it. */
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
