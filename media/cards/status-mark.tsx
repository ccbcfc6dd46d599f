import type { ToolState } from "../entry.ts";
import { Icon } from "../view/icon.tsx";

export const STATUS: Record<ToolState, { readonly icon: string; readonly word: string }> = {
	running: { icon: "loading", word: "Running" },
	completed: { icon: "check", word: "Done" },
	failed: { icon: "error", word: "Failed" },
	interrupted: { icon: "circle-slash", word: "Stopped" },
};

/** How a call fares: an icon for the eye, a word for the ear. */
export function StatusMark({ status }: { readonly status: ToolState }) {
	const { icon, word } = STATUS[status];
	return (
		<>
			<span class={`tool-${status}`}>
				<Icon name={icon} spin={status === "running" ? "spinning" : "still"} />
			</span>
			<span class="sr-only">{word}: </span>
		</>
	);
}
