import { t } from "../../../l10n/t.ts";

/** Says that a press was ignored, without moving anything. Always rendered, so that a screen reader announces it. */
export function TooSoon({ isRefused }: { readonly isRefused: boolean }) {
	return (
		<p class="too-soon" role="status">
			{isRefused && t("This has just changed. Check it and press again.")}
		</p>
	);
}
