import * as vscode from "vscode";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import { type Message, t } from "../../l10n/t.ts";
import type { HostClient } from "../host/host-client.ts";
import type { ChatPanel } from "../panel/chat-panel.ts";

/** Whether somebody who may be looking elsewhere wants to be told. */
export function isTold(about: "done" | "waiting", isInView: boolean): boolean {
	switch (vscode.workspace.getConfiguration("vitrine.notifications").get<"off" | "unfocused" | "always">(about)) {
		case "always":
			return true;
		case "off":
			return false;
		// Also when the setting holds something else.
		case "unfocused":
		case undefined:
			return !isInView || !vscode.window.state.focused;
	}
}

/** Tells that a turn is over; one that the user has stopped needs no telling. */
export function createNotifications(
	host: HostClient,
	panel: Pick<ChatPanel, "isVisible" | "showThread" | "threadId">,
): vscode.Disposable {
	const tell = async (words: Message, threadId: ThreadId): Promise<void> => {
		const show = t("Show");
		if ((await vscode.window.showInformationMessage(t(words), show)) === show) await panel.showThread(threadId);
	};
	return host.onThreadEvent(({ threadId, event }) => {
		if (event.type !== "turnCompleted" || event.status === "interrupted") return;
		const isInView = panel.isVisible() && panel.threadId() === threadId;
		if (!isTold("done", isInView)) return;
		void tell(event.status === "failed" ? "Vitrine: a turn failed." : "Vitrine has answered.", threadId);
	});
}
