import { type Message, t } from "../../../l10n/t.ts";
import type { ChatSettings, NextTurn } from "../../wire.ts";
import { Icon } from "../parts/icon.tsx";
import { usePage } from "../parts/page-context.ts";
import { SendMenu, type SendWay } from "./send-menu.tsx";

/** What happens to a message while a turn runs: the setting, or the alternative. In live mode, people talk into it. */
export function chooseDelivery(
	which: "usual" | "other",
	chat: ChatSettings | undefined,
	next: NextTurn | undefined,
): ChatSettings["whileRunning"] {
	const usual = next?.isLive ? "steer" : (chat?.whileRunning ?? "queue");
	if (which === "usual") return usual;
	return usual === "queue" ? "steer" : "queue";
}

export function SendButton({ isReady }: { readonly isReady: boolean }) {
	const page = usePage();
	const look = { id: "send", name: t("Send"), keys: "Enter", icon: "send" };
	return <BarButton {...look} isReady={isReady} onClick={() => page.composer.submit()} />;
}

/** The usual way to send, a menu of all ways, and Stop. */
export function WhileRunning({ isReady }: { readonly isReady: boolean }) {
	const ways = useWays();
	const [usual] = ways;
	return (
		<div class="composer-buttons">
			{isReady && usual && (
				<>
					<BarButton {...usual} id="send" isReady={true} onClick={usual.send} />
					<SendMenu ways={ways} />
				</>
			)}
			<StopButton />
		</div>
	);
}

const COMMAND_KEY = /Mac/.test(navigator.platform) ? "Cmd" : "Ctrl";

const WAYS: Record<
	ChatSettings["whileRunning"],
	{ readonly name: Message; readonly label: Message; readonly icon: string }
> = {
	queue: { name: "Send after this turn", label: "Queue", icon: "list-ordered" },
	steer: { name: "Send now (steer)", label: "Steer", icon: "compass" },
};

/** Every way to send while a turn runs, the usual one first. */
function useWays(): readonly (SendWay & { readonly label: string })[] {
	const page = usePage();
	const { composer } = page;
	const instead = { name: t("Stop and send"), label: t("Stop and send"), icon: "debug-restart" };
	return [
		...(["usual", "other"] as const).map((which) => {
			const id = chooseDelivery(which, page.panel.value?.chat, page.next.value);
			const { name, label, icon } = WAYS[id];
			const keys = which === "usual" ? "Enter" : `${COMMAND_KEY}+Enter`;
			return { id, name: t(name), label: t(label), icon, keys, send: () => composer.submit(id) };
		}),
		{ ...instead, id: "stop-and-send", keys: `${COMMAND_KEY}+Shift+Enter`, send: () => composer.submit("stopAndSend") },
	];
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
	/** Shown beside the icon. */
	readonly label?: string;
	readonly isReady: boolean;
	readonly onClick: () => void;
}

function BarButton({ id, name, keys, icon, label, isReady, onClick }: BarButtonProps) {
	const page = usePage();
	return (
		<button
			type="button"
			id={id}
			class={label === undefined ? "icon-button" : "icon-button labelled"}
			title={`${name} (${keys})`}
			aria-label={label === undefined ? name : undefined}
			disabled={!isReady}
			onClick={() => {
				onClick();
				page.composer.focus();
			}}
		>
			<Icon name={icon} />
			{label}
		</button>
	);
}
