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

interface Props {
	readonly status: ToolState;
	/** What kind of call it is; shown once it is done. */
	readonly icon?: string;
	/** It has not started yet. */
	readonly isAsking?: boolean;
	/** It was not allowed, so nothing failed. */
	readonly wasDenied?: boolean;
	/** It returned before what it started had ended. */
	readonly isBackground?: boolean;
}

/** Status of a call: an icon, with a word for screen readers. */
export function StatusMark({ status: ended, icon = STATUS.completed.icon, isAsking = false, ...how }: Props) {
	const { wasDenied = false, isBackground = false } = how;
	const status = wasDenied ? "interrupted" : ended;
	const { icon: own } = STATUS[status];
	const word = isAsking ? "Needs your approval" : wasDenied ? "Denied" : isBackground ? "Started" : STATUS[status].word;
	const isRunning = status === "running" && !isAsking;
	return (
		<>
			<span class={`tool-${status}`}>
				<Icon
					name={isAsking ? "shield" : status === "completed" ? icon : own}
					spin={isRunning ? "spinning" : "still"}
				/>
			</span>
			<span class="sr-only">{t(word)}: </span>
		</>
	);
}
