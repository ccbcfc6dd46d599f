import type { ImageFacts } from "../../agent-host/protocol/image.ts";
import { Icon } from "./icon.tsx";
import { usePage } from "./page-context.ts";

interface Props {
	readonly turnId: string;
	readonly text: string;
	readonly images: readonly ImageFacts[];
}

/** What can be done with a prompt: take it back to change it, go on from it elsewhere, copy it. */
export function PromptActions({ turnId, text, images }: Props) {
	const page = usePage();
	const isRunning = page.isRunning.value;
	return (
		<div class="prompt-actions">
			<Action
				name="Edit and resend"
				icon="edit"
				isReady={!isRunning}
				onClick={() => page.editPrompt(turnId, text, images)}
			/>
			<Action name="Restore to here" icon="discard" isReady={!isRunning} onClick={() => page.restore(turnId)} />
			<Action name="Fork from here" icon="repo-forked" isReady={!isRunning} onClick={() => page.fork(turnId)} />
			<Action name="Copy" icon="copy" isReady={true} onClick={() => page.copy(text)} />
		</div>
	);
}

interface ActionProps {
	readonly name: string;
	readonly icon: string;
	readonly isReady: boolean;
	readonly onClick: () => void;
}

function Action({ name, icon, isReady, onClick }: ActionProps) {
	return (
		<button type="button" class="icon-button" title={name} aria-label={name} disabled={!isReady} onClick={onClick}>
			<Icon name={icon} />
		</button>
	);
}
