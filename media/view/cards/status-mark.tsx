import { type Message, t } from "../../../l10n/t.ts";
import type { ToolState } from "../../model/thread/entry.ts";
import { Icon } from "../parts/icon.tsx";

interface Status {
	readonly icon: string;
	readonly word: Message;
	/** Lower-case form for use inside a line. */
	readonly note: Message;
}

export const STATUS: Record<ToolState, Status> = {
	running: { icon: "loading", word: "Running", note: "running" },
	completed: { icon: "check", word: "Done", note: "done" },
	failed: { icon: "error", word: "Failed", note: "failed" },
	interrupted: { icon: "circle-slash", word: "Stopped", note: "stopped" },
};

/** Status of a call: an icon, with a word for screen readers. */
export function StatusMark({ status }: { readonly status: ToolState }) {
	const { icon, word } = STATUS[status];
	return (
		<>
			<span class={`tool-${status}`}>
				<Icon name={icon} spin={status === "running" ? "spinning" : "still"} />
			</span>
			<span class="sr-only">{t(word)}: </span>
		</>
	);
}
