import { t } from "../../../l10n/t.ts";
import { IconAction } from "./icon-action.tsx";

interface Props {
	readonly isPinned: boolean;
	readonly onClick: () => void;
}

/** Pins or unpins a prompt. */
export function PinAction({ isPinned, onClick }: Props) {
	return (
		<IconAction
			name={t("Pin prompt")}
			title={isPinned ? t("Unpin prompt") : t("Pin prompt (kept verbatim during compaction)")}
			icon={isPinned ? "pinned" : "pin"}
			isReady={true}
			isPressed={isPinned}
			onClick={onClick}
		/>
	);
}
