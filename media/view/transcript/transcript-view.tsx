import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { t } from "../../../l10n/t.ts";
import { showInvisible } from "../../model/words/invisible.ts";
import { usePage } from "../parts/page-context.ts";
import { followNote, type NotesFollowed } from "./follow-note.ts";
import { NewPill } from "./list/new-pill.tsx";
import { PinnedPrompt } from "./list/pinned-prompt.tsx";
import { VirtualList } from "./list/virtual-list.tsx";
import { drawRow } from "./row-view.tsx";

/** How long a copy button shows that it has copied. */
const COPIED_MS = 1_200;

/** The thread. Rebuilt for another thread, so that nothing of the previous position remains. */
export function TranscriptView() {
	const page = usePage();
	const isAtEnd = useSignal(true);
	const isPromptAbove = useSignal(false);
	const followed = useRef<NotesFollowed>(new Map());
	const onAction = (event: Event): void => {
		const target = event.target instanceof Element ? event.target : null;
		const url = target?.closest<HTMLElement>("[data-link]")?.dataset.link;
		if (url !== undefined) page.post({ type: "openLink", url });
		const { file, line } = target?.closest<HTMLElement>("[data-file]")?.dataset ?? {};
		if (file !== undefined) {
			page.post({ type: "openFile", path: file, ...(line === undefined ? {} : { line: Number(line) }) });
		}
		const note = target?.closest<HTMLElement>("[data-mark], [data-note]");
		if (note) followNote(page, note, followed.current);
		const button = target?.closest<HTMLElement>("[data-action]");
		const block = button?.closest<HTMLElement>(".code");
		const code = block?.querySelector("code")?.textContent;
		if (!button || code === undefined) return;
		if (button.dataset.action === "insert") page.post({ type: "insertCode", text: code });
		if (button.dataset.action === "apply") {
			page.post({ type: "applyCode", text: code, ...(block?.dataset.path && { path: block.dataset.path }) });
		}
		if (button.dataset.action !== "copy") return;
		page.copy(code);
		button.classList.add("copied");
		setTimeout(() => button.classList.remove("copied"), COPIED_MS);
	};
	const onKeyDown = (event: KeyboardEvent): void => {
		const isLink = event.target instanceof HTMLElement && event.target.getAttribute("role") === "link";
		if (isLink && event.key === "Enter") onAction(event);
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
