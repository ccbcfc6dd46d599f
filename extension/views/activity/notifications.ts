import * as vscode from "vscode";
import type { ThreadId } from "../../../agent-host/protocol/ids.ts";
import type { ThreadEvent, TurnPurpose } from "../../../agent-host/protocol/thread/events.ts";
import { type Message, t } from "../../../l10n/t.ts";
import { ownSetting } from "../../facts/own-setting.ts";
import { showInformation } from "../../facts/show-message.ts";
import type { AgentTree } from "../../host/agent-tree.ts";
import type { HostClient } from "../../host/host-client.ts";
import type { Chats } from "../../panel/chats.ts";
import { shouldChime, shouldNotify } from "./should-notify.ts";

/** Whether the user wants a notification now. */
export function wantsNotification(about: "done" | "waiting", isInView: boolean): boolean {
	const setting = ownSetting(`vitrine.notifications.${about}`) ?? "unfocused";
	return shouldNotify(setting, { isInView, isFocused: vscode.window.state.focused });
}

/** Plays a sound for a user who wants one and is not in this window. */
export function chimeIfAway(panel: Pick<Chats, "chime">, about: "done" | "waiting"): void {
	if (shouldChime(ownSetting("vitrine.notifications.sound"), vscode.window.state.focused)) panel.chime(about);
}

/** Notifies when a turn has ended, except if the user stopped it, or another agent waits for it instead of the user. */
export function createNotifications(
	host: Pick<HostClient, "onThreadEvent">,
	panel: Pick<Chats, "threadsInView" | "showThread" | "chime">,
	{ isAgent }: Pick<AgentTree, "isAgent">,
): vscode.Disposable {
	const tell = async (words: Message, threadId: ThreadId): Promise<void> => {
		const show = t("Show");
		if ((await showInformation(t(words), show)) === show) await panel.showThread(threadId);
	};
	/** How the running turns began, as far as this window has seen it. */
	const begun = new Map<string, Begun>();
	return host.onThreadEvent(({ threadId, event }) => {
		if (event.type === "turnStarted") begun.set(event.turnId, event);
		if (event.type !== "turnCompleted") return;
		const { purpose, clientId } = begun.get(event.turnId) ?? {};
		begun.delete(event.turnId);
		if (event.status === "interrupted") return;
		// What the user has sent in a sub-agent's thread is answered to the user.
		if (isAgent(threadId) && clientId === undefined) return;
		chimeIfAway(panel, "done");
		const isInView = panel.threadsInView().includes(threadId);
		if (!wantsNotification("done", isInView)) return;
		const words = event.status === "failed" ? FAILED : ENDED[purpose ?? "answer"];
		void tell(words, threadId);
	});
}

type Begun = Pick<Extract<ThreadEvent, { readonly type: "turnStarted" }>, "purpose" | "clientId">;

const FAILED: Message = "A turn failed.";
const ENDED: Readonly<Record<TurnPurpose | "answer", Message>> = {
	answer: "Vitrine has answered.",
	userCommand: "Your command has ended.",
	compaction: "The compaction has ended.",
};
