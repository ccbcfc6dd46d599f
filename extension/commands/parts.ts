import type * as vscode from "vscode";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import { t } from "../../l10n/t.ts";
import type { Keys } from "../facts/keys.ts";
import type { HostClient } from "../host/host-client.ts";
import type { PolicyWatch } from "../host/policy-watch.ts";
import type { RunningTurns } from "../host/running-turns.ts";
import type { Trace } from "../host/trace.ts";
import type { ChatPanel } from "../panel/chat-panel.ts";
import type { PendingChanges } from "../review/pending-changes.ts";
import type { ReviewDiff } from "../review/review-diff.ts";
import type { CompactionPreview } from "../views/context/compaction-preview.ts";
import type { ContextInspector } from "../views/context/context-inspector.ts";
import type { Documents } from "../views/reports/report-documents.ts";
import type { ThreadsView } from "../views/threads/threads-view.ts";

/** The parts of the extension that commands use. */
export interface Parts {
	readonly host: HostClient;
	readonly panel: ChatPanel;
	readonly threads: ThreadsView;
	readonly keys: Keys;
	readonly log: vscode.LogOutputChannel;
	readonly documents: Documents;
	readonly inspector: ContextInspector;
	readonly policy: PolicyWatch;
	readonly preview: CompactionPreview;
	readonly changes: PendingChanges;
	readonly reviewDiff: ReviewDiff;
	readonly turns: RunningTurns;
	readonly trace: Pick<Trace, "show">;
	/** What all windows remember. */
	readonly memory: vscode.Memento;
}

/** The open thread, for commands that need one. */
export function shownThread({ panel }: Parts): ThreadId {
	const threadId = panel.threadId();
	if (threadId === undefined) throw new Error(t("No thread yet. Send a prompt first."));
	return threadId;
}
