import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../../../l10n/t.ts";
import { needsCommand } from "../../../model/composer/composer-state.ts";
import { canResend, type OpenEdit } from "../../../model/composer/prompt-edit.ts";
import { showInvisible } from "../../../model/words/invisible.ts";
import { Icon } from "../../parts/icon.tsx";
import { isInInputMethod } from "../../parts/key-name.ts";
import { usePage } from "../../parts/page-context.ts";

/** A prompt while it is edited, in its place in the thread. */
export function PromptEditor({ edit, rowKey }: { readonly edit: OpenEdit; readonly rowKey: string }) {
	const page = usePage();
	const { composer, thread, panel } = page;
	const input = useRef<HTMLTextAreaElement>(null);
	useLayoutEffect(() => {
		if (!composer.edit.takeFocus()) return;
		const end = input.current?.value.length ?? 0;
		input.current?.setSelectionRange(end, end);
		page.scrollTo({ to: "row", key: rowKey, stays: true, focus: { selector: "textarea", nth: 0 } });
	}, []);
	const isReady = canResend(edit) && !thread.isRunning.value;
	const leave = (): void => {
		if (composer.edit.cancel() === "closed") composer.focus();
	};
	const onKeyDown = (event: KeyboardEvent): void => {
		if (isInInputMethod(event)) return;
		if (event.key === "Escape") {
			// This Esc is for the editor; it must not stop a turn.
			event.stopPropagation();
			event.preventDefault();
			leave();
		}
		if (event.key !== "Enter") return;
		const isCommand = event.ctrlKey || event.metaKey;
		if (!isCommand && (event.shiftKey || needsCommand(panel.peek()?.chat.enterBehavior, edit.text))) return;
		event.preventDefault();
		if (isReady) composer.edit.send();
	};
	return (
		<div class="prompt-editor">
			<textarea
				ref={input}
				rows={1}
				dir="auto"
				value={edit.text}
				aria-label={t("Edit prompt")}
				aria-invalid={edit.problem !== undefined}
				readOnly={edit.sent !== undefined}
				onInput={(event) => composer.edit.type(event.currentTarget.value)}
				onKeyDown={onKeyDown}
			/>
			{edit.problem !== undefined && (
				<p class="prompt-editor-problem" role="alert">
					<Icon name="error" />
					<span>{showInvisible(edit.problem)}</span>
				</p>
			)}
			<p class="quiet">{t("Replaces this prompt and everything after it. You can undo that.")}</p>
			<div class="actions">
				<button type="button" class="button" disabled={!isReady} onClick={() => composer.edit.send()}>
					{t("Send")}
				</button>
				<button type="button" class="text-button" disabled={edit.sent !== undefined} onClick={leave}>
					{t("Cancel")}
				</button>
			</div>
		</div>
	);
}
