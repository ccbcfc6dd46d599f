import { useLayoutEffect, useRef } from "preact/hooks";
import { type Message, t } from "../../../l10n/t.ts";
import type { ChatSettings } from "../../wire.ts";
import { Icon } from "../parts/icon.tsx";
import { usePage } from "../parts/page-context.ts";

/** What happens to a message while a turn runs: the setting, or the alternative. */
export function chooseDelivery(which: "usual" | "other", chat: ChatSettings | undefined): ChatSettings["whileRunning"] {
	const usual = chat?.whileRunning ?? "queue";
	if (which === "usual") return usual;
	return usual === "queue" ? "steer" : "queue";
}

export function SendButton({ isReady }: { readonly isReady: boolean }) {
	const page = usePage();
	const look = { id: "send", name: t("Send"), keys: "Enter", icon: "send" };
	return <BarButton {...look} isReady={isReady} onClick={() => page.composer.submit()} />;
}

/** Three ways to send, and Stop. */
export function WhileRunning({ isReady }: { readonly isReady: boolean }) {
	const page = usePage();
	const { sender } = page.composer;
	const instead = { name: t("Stop and send"), keys: `${COMMAND_KEY}+Shift+Enter`, icon: "debug-restart" };
	return (
		<div class="composer-buttons">
			{isReady && (
				<>
					{(["usual", "other"] as const).map((which) => {
						const way = chooseDelivery(which, page.panel.value?.chat);
						const keys = which === "usual" ? "Enter" : `${COMMAND_KEY}+Enter`;
						const look = { ...WAYS[way], name: t(WAYS[way].name) };
						return <BarButton key={way} id={way} {...look} keys={keys} isReady={true} onClick={() => sender[way]()} />;
					})}
					<BarButton id="stop-and-send" {...instead} isReady={true} onClick={() => sender.stopAndSend()} />
				</>
			)}
			<StopButton />
		</div>
	);
}

const COMMAND_KEY = /Mac/.test(navigator.platform) ? "Cmd" : "Ctrl";

const WAYS: Record<ChatSettings["whileRunning"], { readonly name: Message; readonly icon: string }> = {
	queue: { name: "Send after this turn", icon: "list-ordered" },
	steer: { name: "Send now (steer)", icon: "compass" },
};

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
	// One button replaces the other; without this the focus would leave the panel.
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
