import { t } from "../../../../l10n/t.ts";
import type { UserEntry } from "../../../model/thread/entry.ts";
import { IconAction } from "../../parts/icon-action.tsx";
import { usePage } from "../../parts/page-context.ts";
import { PinAction } from "../../parts/pin-action.tsx";

interface Props {
	readonly entry: UserEntry;
}

/** Actions on a prompt: edit, fork, compact up to it, pin, copy. */
export function PromptActions({ entry }: Props) {
	const { turnId, text } = entry;
	const page = usePage();
	const isRunning = page.thread.isRunning.value;
	const isPinned = page.thread.pins.value.has(turnId);
	return (
		<div class="prompt-actions">
			<IconAction
				name={t("Edit and resend")}
				icon="edit"
				isReady={!isRunning}
				onClick={() => page.composer.edit.begin(entry)}
			/>
			<IconAction
				name={t("Restore checkpoint")}
				icon="discard"
				isReady={!isRunning}
				onClick={() => page.post({ type: "restore", turnId })}
			/>
			<IconAction
				name={t("Fork from here")}
				icon="repo-forked"
				isReady={!isRunning}
				onClick={() => page.post({ type: "fork", turnId })}
			/>
			<IconAction
				name={t("Compact up to here")}
				icon="fold-up"
				isReady={!isRunning}
				onClick={() => page.post({ type: "compact", throughTurnId: turnId })}
			/>
			<PinAction isPinned={isPinned} onClick={() => page.post({ type: "pin", turnId, pinned: !isPinned })} />
			<IconAction name={t("Copy")} icon="copy" isReady={true} onClick={() => page.copy(text)} />
		</div>
	);
}

/** For a message to a running turn, which is not a place to go back to. */
export function SteeredActions({ entry: { key, turnId, text } }: Props) {
	const page = usePage();
	const isPinned = page.thread.pins.value.has(key);
	return (
		<div class="prompt-actions">
			<PinAction
				isPinned={isPinned}
				isSteered={true}
				onClick={() => page.post({ type: "pin", turnId, steered: text, pinned: !isPinned })}
			/>
			<IconAction name={t("Copy")} icon="copy" isReady={true} onClick={() => page.copy(text)} />
		</div>
	);
}
