import * as vscode from "vscode";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import { type ReviewedFile, type ReviewedHunk, reviewList } from "../../agent-host/protocol/thread/review.ts";
import { describeFailure } from "../host/call.ts";
import type { HostClient } from "../host/host-client.ts";
import type { ChatPanel } from "../panel/chat-panel.ts";

/** Pending changes of the open thread, as the host last reported them. */
export interface PendingChanges extends vscode.Disposable {
	readonly files: () => readonly ReviewedFile[];
	readonly findFile: (uri: vscode.Uri) => ReviewedFile | undefined;
	readonly hunksOf: (uri: vscode.Uri) => readonly ReviewedHunk[];
	readonly onDidChange: vscode.Event<void>;
	/** Requests them from the host again. */
	readonly refresh: () => Promise<void>;
}

/** Events after which the pending changes may differ. */
const REFRESH_ON: ReadonlySet<string> = new Set(["turnDiff", "filesChanged", "turnCompleted", "reviewed", "restored"]);
/** Delay after typing, so that a burst of keys is one request. */
const TYPING_MS = 250;

export function createPendingChanges(
	host: HostClient,
	panel: Pick<ChatPanel, "threadId" | "onDidChangeThread">,
	log: vscode.LogOutputChannel,
): PendingChanges {
	const changed = new vscode.EventEmitter<void>();
	let files: readonly ReviewedFile[] = [];
	let asked = 0;
	let timer: NodeJS.Timeout | undefined;
	const show = (next: readonly ReviewedFile[]): void => {
		if (files.length === 0 && next.length === 0) return;
		files = next;
		changed.fire();
	};
	const ask = async (threadId: ThreadId | undefined): Promise<readonly ReviewedFile[]> =>
		threadId === undefined ? [] : (await host.request(reviewList, { threadId })).files;
	const refresh = async (): Promise<void> => {
		// Do not start the host just to show this.
		if (host.state().state !== "ready") return show([]);
		asked += 1;
		const mine = asked;
		try {
			const next = await ask(panel.threadId());
			if (mine === asked) show(next);
		} catch (error) {
			log.warn(`The open changes could not be listed: ${describeFailure(error)}`);
		}
	};
	// As addresses: on Windows the editor and the host write drives in different cases.
	const fileOf = (uri: vscode.Uri): ReviewedFile | undefined =>
		uri.scheme === "file" ? files.find(({ path }) => vscode.Uri.file(path).toString() === uri.toString()) : undefined;
	const refreshSoon = (uri: vscode.Uri): void => {
		if (fileOf(uri) === undefined) return;
		clearTimeout(timer);
		timer = setTimeout(() => void refresh(), TYPING_MS);
	};
	const disposables = [
		changed,
		panel.onDidChangeThread(() => void refresh()),
		host.onDidChangeState(() => void refresh()),
		host.onThreadEvent(({ threadId, event }) => {
			if (threadId === panel.threadId() && REFRESH_ON.has(event.type)) void refresh();
		}),
		vscode.workspace.onDidChangeTextDocument(({ document }) => refreshSoon(document.uri)),
		vscode.workspace.onDidCloseTextDocument(({ uri }) => refreshSoon(uri)),
	];
	return {
		files: () => files,
		findFile: fileOf,
		hunksOf: (uri) => fileOf(uri)?.hunks ?? [],
		onDidChange: changed.event,
		refresh,
		dispose: () => {
			clearTimeout(timer);
			vscode.Disposable.from(...disposables).dispose();
		},
	};
}
