import { t } from "../../../l10n/t.ts";
import { IconAction } from "./icon-action.tsx";

interface Props {
	readonly isPinned: boolean;
	/** The message was sent into a running turn, so it is not a prompt. */
	readonly isSteered?: boolean | undefined;
	readonly onClick: () => void;
}

/** Pins or unpins a prompt or a message. */
export function PinAction({ isPinned, isSteered = false, onClick }: Props) {
	const [name, pin, unpin] = isSteered
		? [t("Pin message"), t("Pin message (kept verbatim during compaction)"), t("Unpin message")]
		: [t("Pin prompt"), t("Pin prompt (kept verbatim during compaction)"), t("Unpin prompt")];
	return (
		<IconAction
			name={name}
			title={isPinned ? unpin : pin}
			icon={isPinned ? "pinned" : "pin"}
			isReady={true}
			isPressed={isPinned}
			onClick={onClick}
		/>
	);
}
