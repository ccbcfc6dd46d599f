import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../../l10n/t.ts";
import { mayHoldFiles, readDropped } from "../../model/attached/dropped-files.ts";
import { canSend, getDraft, getProblem, needsCommand } from "../../model/composer/composer-state.ts";
import type { PageComposer } from "../../model/composer/page-composer.ts";
import { showInvisible } from "../../model/words/invisible.ts";
import { Icon } from "../parts/icon.tsx";
import { isInInputMethod } from "../parts/key-name.ts";
import { usePage } from "../parts/page-context.ts";
import { AttachedChips } from "./attached-chips.tsx";
import { AttachedImages } from "./attached-images.tsx";
import { actOnKey } from "./composer-keys.ts";
import { chooseMention, MENTION_LIST, MentionList, optionId } from "./mention-list.tsx";
import { PlanToggle } from "./plan-toggle.tsx";
import { chooseDelivery, SendButton, WhileRunning } from "./send-buttons.tsx";
import { ShellHint, SLASH_LIST, SlashList, slashOptionId } from "./slash-list.tsx";

/** The prompt. Of the thread it only reads whether a turn runs, so streaming never slows typing. */
export function Composer() {
	const page = usePage();
	const { composer, thread, panel } = page;
	const input = useRef<HTMLTextAreaElement>(null);
	const state = composer.state.value;
	const problem = getProblem(state);
	const asked = composer.focusAsked.value;
	// Must take the focus before the next key press.
	useLayoutEffect(() => {
		if (asked > 0) input.current?.focus();
	}, [asked]);
	const list = findList(composer);
	const caret = composer.caretAsked.value;
	useLayoutEffect(() => {
		if (caret === undefined) return;
		input.current?.setSelectionRange(caret, caret);
		composer.caretAsked.value = undefined;
	}, [caret]);
	const look = ({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): void =>
		composer.mentions.update(value, selectionStart === selectionEnd ? selectionStart : undefined);
	const onKeyDown = (event: KeyboardEvent): void => {
		if (chooseMention(composer.mentions, event) || actOnKey(page, event)) return;
		// Enter that confirms a word in an input method is not for us.
		if (event.key !== "Enter" || isInInputMethod(event)) return;
		const isCommand = event.ctrlKey || event.metaKey;
		if (!isCommand && (event.shiftKey || needsCommand(panel.peek()?.chat.enterBehavior, composer.draft.peek()))) return;
		event.preventDefault();
		if (!thread.isRunning.peek()) composer.submit();
		else if (isCommand && event.shiftKey) composer.submit("stopAndSend");
		else composer.submit(chooseDelivery(isCommand ? "other" : "usual", panel.peek()?.chat, page.next.peek()));
	};
	/** Attaches files; the browser inserts everything else. */
	const take = (event: Event, from: DataTransfer | null): void => {
		const given = from === null ? undefined : readDropped(from);
		if (given === undefined) return;
		event.preventDefault();
		void composer.take(given);
	};
	return (
		<div class="composer">
			<SlashList />
			<ShellHint />
			<MentionList />
			<AttachedChips />
			<AttachedImages />
			<textarea
				id="composer"
				ref={input}
				rows={1}
				dir="auto"
				value={getDraft(state)}
				placeholder={t("Ask anything — @ to add context, / for commands, ! to run a command")}
				aria-label={t("Prompt")}
				aria-invalid={problem !== undefined}
				aria-autocomplete="list"
				aria-controls={list?.id}
				aria-activedescendant={list?.active}
				onInput={(event) => {
					composer.type(event.currentTarget.value);
					look(event.currentTarget);
				}}
				onSelect={(event) => look(event.currentTarget)}
				onBlur={() => composer.mentions.close()}
				onKeyDown={onKeyDown}
				onPaste={(event) => take(event, event.clipboardData)}
				onDragOver={acceptFiles}
				onDrop={(event) => take(event, event.dataTransfer)}
			/>
			<div class="composer-bar">
				<PlanToggle />
				<div class="composer-problem" role="alert">
					{problem !== undefined && <Icon name="error" />}
					<span>{showInvisible(problem ?? "")}</span>
				</div>
				{thread.isRunning.value ? <WhileRunning isReady={canSend(state)} /> : <SendButton isReady={canSend(state)} />}
			</div>
		</div>
	);
}

/** The list that is open above the prompt, and its highlighted entry. */
function findList({ mentions, slash }: PageComposer): { readonly id: string; readonly active: string } | undefined {
	if (mentions.found.value.length > 0) return { id: MENTION_LIST, active: optionId(mentions.active.value) };
	if (slash.offered.value.length > 0) return { id: SLASH_LIST, active: slashOptionId(slash.active.value) };
	return undefined;
}

// Otherwise the browser would replace the page with the dropped file.
function acceptFiles(event: DragEvent): void {
	if (mayHoldFiles(event.dataTransfer?.types ?? [])) event.preventDefault();
}
