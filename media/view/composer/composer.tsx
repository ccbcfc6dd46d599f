import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../../l10n/t.ts";
import { Icon } from "../icon.tsx";
import { showInvisible } from "../invisible.ts";
import { usePage } from "../page-context.ts";
import { AttachedChips } from "./attached-chips.tsx";
import { canSend, draftOf, needsCommand, refusalOf } from "./composer-state.ts";
import { mayHoldFiles, readGiven } from "./given.ts";
import { AttachedImages } from "./images.tsx";
import { chooseMention, MENTION_LIST, MentionList, optionId } from "./mention-list.tsx";
import { readSlash } from "./slash.ts";
import { ShellHint, SlashList } from "./slash-list.tsx";

/** The prompt. Reads nothing of the thread but whether a turn runs, so that streaming never slows typing. */
export function Composer() {
	const { composer, thread, panel } = usePage();
	const input = useRef<HTMLTextAreaElement>(null);
	const state = composer.state.value;
	const problem = refusalOf(state) ?? state.problem;
	const asked = composer.focusAsked.value;
	useEffect(() => {
		if (asked > 0) input.current?.focus();
	}, [asked]);
	const hasMentions = composer.mentions.found.value.length > 0;
	const caret = composer.caretAsked.value;
	useLayoutEffect(() => {
		if (caret === undefined) return;
		input.current?.setSelectionRange(caret, caret);
		composer.caretAsked.value = undefined;
	}, [caret]);
	const look = ({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): void =>
		composer.mentions.look(value, selectionStart === selectionEnd ? selectionStart : undefined);
	const onKeyDown = (event: KeyboardEvent): void => {
		if (chooseMention(composer.mentions, event)) return;
		// Enter that ends the choice of a word in an input method is not meant for us.
		if (event.key !== "Enter" || event.isComposing || event.keyCode === IN_COMPOSITION) return;
		const isCommand = event.ctrlKey || event.metaKey;
		if (!isCommand && (event.shiftKey || needsCommand(panel.peek()?.enter, composer.draft.peek()))) return;
		event.preventDefault();
		if (!thread.isRunning.peek() || readSlash(composer.draft.peek()).kind !== "text") composer.submit();
		else if (!isCommand) composer.sender.queue();
		else if (event.shiftKey) composer.sender.stopAndSend();
		else composer.sender.steer();
	};
	/** Files are taken along; everything else is the browser's to insert. */
	const take = (event: Event, from: DataTransfer | null): void => {
		const given = from === null ? undefined : readGiven(from);
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
				value={draftOf(state)}
				placeholder={t("Ask, or / for commands, @ for context, ! to run")}
				aria-label={t("Prompt")}
				aria-invalid={problem !== undefined}
				aria-autocomplete="list"
				aria-controls={hasMentions ? MENTION_LIST : undefined}
				aria-activedescendant={hasMentions ? optionId(composer.mentions.active.value) : undefined}
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
				<div class="composer-problem" role="alert">
					{problem !== undefined && <Icon name="error" />}
					<span>{showInvisible(problem ?? "")}</span>
				</div>
				{thread.isRunning.value ? <WhileRunning isReady={canSend(state)} /> : <SendButton isReady={canSend(state)} />}
			</div>
		</div>
	);
}

// Without this the browser would open what is dropped in the place of the page.
function acceptFiles(event: DragEvent): void {
	if (mayHoldFiles(event.dataTransfer?.types ?? [])) event.preventDefault();
}

const COMMAND_KEY = /Mac/.test(navigator.platform) ? "Cmd" : "Ctrl";

/** What Safari and old Chromium give as key code while an input method has the keyboard. */
const IN_COMPOSITION = 229;

function SendButton({ isReady }: { readonly isReady: boolean }) {
	const page = usePage();
	const look = { id: "send", name: t("Send"), keys: "Enter", icon: "send" };
	return <BarButton {...look} isReady={isReady} onClick={() => page.composer.submit()} />;
}

/** Three ways to send what is written, and the way to stop. */
function WhileRunning({ isReady }: { readonly isReady: boolean }) {
	const { sender } = usePage().composer;
	const steer = { id: "steer", name: t("Steer the running turn"), keys: `${COMMAND_KEY}+Enter`, icon: "compass" };
	const instead = {
		id: "stop-and-send",
		name: t("Stop and send"),
		keys: `${COMMAND_KEY}+Shift+Enter`,
		icon: "debug-restart",
	};
	return (
		<div class="composer-buttons">
			{isReady && (
				<>
					<BarButton
						id="queue"
						name={t("Queue")}
						keys="Enter"
						icon="list-ordered"
						isReady={true}
						onClick={() => sender.queue()}
					/>
					<BarButton {...steer} isReady={true} onClick={() => sender.steer()} />
					<BarButton {...instead} isReady={true} onClick={() => sender.stopAndSend()} />
				</>
			)}
			<StopButton />
		</div>
	);
}

function StopButton() {
	const page = usePage();
	const look = { id: "stop", name: t("Stop"), keys: "Esc, Esc", icon: "stop-circle" };
	return <BarButton {...look} isReady={true} onClick={() => page.stop()} />;
}

interface BarButtonProps {
	readonly id: string;
	readonly name: string;
	readonly keys: string;
	readonly icon: string;
	readonly isReady: boolean;
	readonly onClick: () => void;
}

function BarButton({ id, name, keys, icon, isReady, onClick }: BarButtonProps) {
	const page = usePage();
	const button = useRef<HTMLButtonElement>(null);
	const focusPrompt = (): void => {
		page.composer.focus();
	};
	// One button makes way for the other; whoever had the focus on it would be thrown out of the panel.
	useLayoutEffect(() => {
		const element = button.current;
		return () => {
			if (element === document.activeElement) focusPrompt();
		};
	}, []);
	return (
		<button
			type="button"
			id={id}
			ref={button}
			class="icon-button"
			title={`${name} (${keys})`}
			aria-label={name}
			disabled={!isReady}
			onClick={() => {
				onClick();
				focusPrompt();
			}}
		>
			<Icon name={icon} />
		</button>
	);
}
