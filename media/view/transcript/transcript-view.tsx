import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { t } from "../../../l10n/t.ts";
import { showInvisible } from "../../model/words/invisible.ts";
import { actOnText, pressesLink } from "../markdown/act-on-text.ts";
import { usePage } from "../parts/page-context.ts";
import { followNote, type NotesFollowed } from "./follow-note.ts";
import { NewPill } from "./list/new-pill.tsx";
import { PinnedPrompt } from "./list/pinned-prompt.tsx";
import { VirtualList } from "./list/virtual-list.tsx";
import { drawRow } from "./row-view.tsx";

/** The thread. Rebuilt for another thread, so that nothing of the previous position remains. */
export function TranscriptView() {
	const page = usePage();
	const isAtEnd = useSignal(true);
	const isPromptAbove = useSignal(false);
	const followed = useRef<NotesFollowed>(new Map());
	const onAction = (event: Event): void => {
		actOnText(page, event);
		const note = event.target instanceof Element && event.target.closest<HTMLElement>("[data-mark], [data-note]");
		if (note) followNote(page, note, followed.current);
	};
	const onKeyDown = (event: KeyboardEvent): void => {
		if (pressesLink(event)) onAction(event);
	};
	return (
		// biome-ignore lint/a11y/noStaticElementInteractions: one listener for all links and buttons of code inside
		<div class="transcript-frame" onClick={onAction} onKeyDown={onKeyDown}>
			<VirtualList
				label={showInvisible(page.thread.transcript.value.title) || t("Conversation")}
				rows={page.shownRows.value}
				drawRow={drawRow}
				move={page.scrollTarget.value}
				onAtEnd={(atEnd) => {
					isAtEnd.value = atEnd;
				}}
				pinned={page.thread.runningPrompt.value?.key}
				onPinnedAbove={(isAbove) => {
					isPromptAbove.value = isAbove;
				}}
			/>
			<PinnedPrompt isAbove={isPromptAbove} />
			<NewPill
				isAtEnd={isAtEnd}
				onClick={() => {
					page.scrollTo({ to: "end" });
				}}
			/>
		</div>
	);
}
