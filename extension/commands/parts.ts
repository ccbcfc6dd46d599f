import type * as vscode from "vscode";
import type { Keys } from "../facts/keys.ts";
import type { HostClient } from "../host/host-client.ts";
import type { ChatPanel } from "../panel/chat-panel.ts";
import type { ThreadsView } from "../views/threads.ts";

/** What commands work with. */
export interface Parts {
	readonly host: HostClient;
	readonly panel: ChatPanel;
	readonly threads: ThreadsView;
	readonly keys: Keys;
	readonly log: vscode.LogOutputChannel;
}
