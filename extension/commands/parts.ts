import type * as vscode from "vscode";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import { t } from "../../l10n/t.ts";
import type { Keys } from "../facts/keys.ts";
import type { ServerInputs } from "../facts/server-inputs.ts";
import type { HostClient } from "../host/host-client.ts";
import type { PolicyWatch } from "../host/policy-watch.ts";
import type { RunningTurns } from "../host/running-turns.ts";
import type { Trace } from "../host/trace.ts";
import type { Chats } from "../panel/chats.ts";
import type { Plans } from "../plan/plans.ts";
import type { ReviewFindings } from "../review/findings.ts";
import type { PendingChanges } from "../review/pending-changes.ts";
import type { ReviewDiff } from "../review/review-diff.ts";
import type { CompactionPreview } from "../views/context/compaction-preview.ts";
import type { ContextInspector } from "../views/context/context-inspector.ts";
import type { Documents } from "../views/reports/report-documents.ts";
import type { ThreadsView } from "../views/threads/threads-view.ts";

/** The parts of the extension that commands use. */
export interface Parts {
	readonly host: HostClient;
	readonly panel: Chats;
	readonly threads: ThreadsView;
	readonly keys: Keys;
	readonly serverInputs: Pick<ServerInputs, "forget">;
	readonly log: vscode.LogOutputChannel;
	readonly documents: Documents;
	readonly inspector: ContextInspector;
	readonly policy: PolicyWatch;
	readonly preview: CompactionPreview;
	readonly changes: PendingChanges;
	readonly findings: Pick<ReviewFindings, "dismissed" | "dismiss" | "find">;
	readonly plans: Pick<Plans, "find" | "open" | "read" | "copy" | "sent" | "remove" | "comments">;
	readonly reviewDiff: ReviewDiff;
	readonly turns: RunningTurns;
	readonly trace: Pick<Trace, "show">;
	/** The folder with threads, and with instructions, skills, commands and hooks for all workspaces. */
	readonly home: vscode.Uri;
	/** What all windows remember. */
	readonly memory: vscode.Memento;
}

/** What a command returns after it has opened something that the user goes on with. */
export const OPENED = "opened";

/** The open thread, for commands that need one. */
export function shownThread({ panel }: Parts): ThreadId {
	const threadId = panel.threadId();
	if (threadId === undefined) throw new Error(t("No thread yet. Send a prompt first."));
	return threadId;
}
