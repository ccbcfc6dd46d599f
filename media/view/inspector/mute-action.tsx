import { t } from "../../../l10n/t.ts";
import { IconAction } from "../parts/icon-action.tsx";

interface Props {
	readonly isMuted: boolean;
	readonly onClick: () => void;
}

/** Mutes or unmutes an item: from the next request on, the model gets one line in its place. */
export function MuteAction({ isMuted, onClick }: Props) {
	return (
		<IconAction
			name={t("Mute")}
			title={isMuted ? t("Unmute (send the text again)") : t("Mute (send one line instead of the text)")}
			icon={isMuted ? "mute" : "unmute"}
			isReady={true}
			isPressed={isMuted}
			onClick={onClick}
		/>
	);
}
