import { useEffect, useRef } from "preact/hooks";
import { canSend, draftOf, refusalOf } from "./composer-state.ts";
import { Icon } from "./icon.tsx";
import { usePage } from "./page-context.ts";

/** The prompt. Reads nothing of the thread but whether a turn runs, so that streaming never slows typing. */
export function Composer() {
	const page = usePage();
	const input = useRef<HTMLTextAreaElement>(null);
	const state = page.composer.value;
	const problem = refusalOf(state) ?? state.problem;
	const asked = page.focusAsked.value;
	useEffect(() => {
		if (asked > 0) input.current?.focus();
	}, [asked]);
	const onKeyDown = (event: KeyboardEvent): void => {
		// Enter that ends the choice of a word in an input method is not meant for us.
		if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === IN_COMPOSITION) return;
		event.preventDefault();
		if (!page.isRunning.peek()) page.submit();
	};
	return (
		<div class="composer">
			<textarea
				id="composer"
				ref={input}
				rows={1}
				value={draftOf(state)}
				placeholder="Ask about this workspace"
				aria-label="Prompt"
				aria-invalid={problem !== undefined}
				onInput={(event) => page.type(event.currentTarget.value)}
				onKeyDown={onKeyDown}
			/>
			<div class="composer-bar">
				<div class="composer-problem" role="alert">
					{problem !== undefined && <Icon name="error" />}
					{problem}
				</div>
				{page.isRunning.value ? <StopButton /> : <SendButton isReady={canSend(state)} />}
			</div>
		</div>
	);
}

/** What Safari and old Chromium give as key code while an input method has the keyboard. */
const IN_COMPOSITION = 229;

function SendButton({ isReady }: { readonly isReady: boolean }) {
	const page = usePage();
	return (
		<button
			type="button"
			id="send"
			class="icon-button primary"
			title="Send (Enter)"
			aria-label="Send"
			disabled={!isReady}
			onClick={() => page.submit()}
		>
			<Icon name="send" />
		</button>
	);
}

function StopButton() {
	const page = usePage();
	return (
		<button
			type="button"
			id="stop"
			class="icon-button primary"
			title="Stop (Esc, Esc)"
			aria-label="Stop"
			onClick={() => page.stop()}
		>
			<Icon name="stop-circle" />
		</button>
	);
}
