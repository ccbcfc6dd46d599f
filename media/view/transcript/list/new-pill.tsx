import type { Signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { t } from "../../../../l10n/t.ts";
import { Icon } from "../../parts/icon.tsx";
import { usePage } from "../../parts/page-context.ts";

interface Props {
	readonly isAtEnd: Signal<boolean>;
	readonly onClick: () => void;
}

/** Shown while the reader is not at the end and something new has arrived. */
export function NewPill({ isAtEnd, onClick }: Props) {
	const { entries, live } = usePage().thread.transcript.value;
	const seen = useRef({ entries, live });
	if (isAtEnd.value) seen.current = { entries, live };
	const count = entries.length - seen.current.entries.length;
	const hasGrown = count > 0 || live !== seen.current.live || entries !== seen.current.entries;
	if (isAtEnd.value || !hasGrown) return null;
	return (
		<button type="button" id="new-pill" onClick={onClick}>
			<Icon name="arrow-down" />
			{count > 0 ? t("{0} new", count) : t("New text")}
		</button>
	);
}
