import * as vscode from "vscode";
import { t } from "../../l10n/t.ts";
import { showWarning } from "../facts/show-message.ts";
import { describeFailure } from "../host/call.ts";
import type { PendingSignIns } from "../host/pending-sign-ins.ts";
import { SIGNED_IN_PATH } from "../host/serve-sign-in.ts";
import type { ChatPanel } from "../panel/chat-panel.ts";
import { readLink } from "./read-link.ts";

/**
 * Opens links such as `vscode://vitrine.vitrine/prefill?text=…`. Anybody can write one; one that would end a sign-in does
 * so only if that sign-in was begun here.
 */
export function handleLinks(
	panel: Pick<ChatPanel, "showThread" | "compose">,
	signIns: Pick<PendingSignIns, "receive">,
): vscode.Disposable {
	return vscode.window.registerUriHandler({
		handleUri: async (uri) => {
			try {
				if (uri.path === SIGNED_IN_PATH) {
					// The editor has decoded it: a `+` is one of the code, not a space.
					if (signIns.receive(uri.query.replaceAll("+", "%2B"))) return;
					throw new Error(t("No sign-in is waiting for this page."));
				}
				const action = readLink(uri);
				if (action.kind === "open") await panel.showThread(action.threadId);
				else await panel.compose(action.text, [], "write");
			} catch (error) {
				void showWarning(t("Vitrine: {0}", describeFailure(error)));
			}
		},
	});
}
