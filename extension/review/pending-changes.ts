import * as vscode from "vscode";
import { agentsBelow } from "../../agent-host/protocol/agent.ts";
import { ThreadId } from "../../agent-host/protocol/ids.ts";
import { type ReviewedFile, type ReviewedHunk, reviewList } from "../../agent-host/protocol/thread/review.ts";
import { threadList } from "../../agent-host/protocol/thread/thread.ts";
import { fileUri } from "../facts/file-uri.ts";
import { describeFailure, failureKind } from "../host/call.ts";
import type { HostClient } from "../host/host-client.ts";
import type { ChatPanel } from "../panel/chat-panel.ts";

/** A thread with pending changes. */
export interface ThreadChanges {
	readonly threadId: ThreadId;
	readonly files: readonly ReviewedFile[];
}

/** Pending changes of all threads of this workspace, as the host last reported them. */
export interface PendingChanges extends vscode.Disposable {
	/** Those of the open thread. */
	readonly files: () => readonly ReviewedFile[];
	/** All, the open thread first. */
	readonly threads: () => readonly ThreadChanges[];
	readonly findFile: (uri: vscode.Uri) => ReviewedFile | undefined;
	/** Of all threads, in the order of their lines. */
	readonly hunksOf: (uri: vscode.Uri) => readonly ReviewedHunk[];
	/** The thread that made this change. */
	readonly findThread: (hunk: string) => ThreadId | undefined;
	/** Whether the host has reported them; until then there may be more. */
	readonly isKnown: () => boolean;
	readonly onDidChange: vscode.Event<void>;
	/** Requests them from the host again. */
	readonly refresh: () => Promise<void>;
}

/** Events after which the pending changes may differ. */
const REFRESH_ON: ReadonlySet<string> = new Set(["turnDiff", "filesChanged", "turnCompleted", "reviewed", "restored"]);
/** Delay after typing, so that a burst of keys is one request. */
const TYPING_MS = 250;
const MEMORY_KEY = "vitrine.changedThreads";
/** Threads that are remembered; the oldest is dropped first. */
const MAX_REMEMBERED = 20;

export function createPendingChanges(
	host: HostClient,
	panel: Pick<ChatPanel, "threadId" | "onDidChangeThread">,
	log: vscode.LogOutputChannel,
	memory: vscode.Memento,
): PendingChanges {
	const changed = new vscode.EventEmitter<void>();
	const found = new Map<ThreadId, readonly ReviewedFile[]>();
	const asked = new Map<ThreadId, number>();
	let timer: NodeJS.Timeout | undefined;
	/** How often there was no host, and the same when one had been asked about all of them. */
	let ends = 0;
	let knownAt: number | undefined;
	const remembered = (): readonly ThreadId[] => readIds(memory.get(MEMORY_KEY));
	const set = (threadId: ThreadId, files: readonly ReviewedFile[]): void => {
		// A thread that the host could not tell about stays remembered.
		const before = remembered();
		const others = before.filter((id) => id !== threadId);
		if (files.length > 0) void memory.update(MEMORY_KEY, [...others, threadId].slice(-MAX_REMEMBERED));
		else if (others.length < before.length) void memory.update(MEMORY_KEY, others);
		if (!found.has(threadId) && files.length === 0) return;
		found.delete(threadId);
		if (files.length > 0) found.set(threadId, files);
		changed.fire();
	};
	const ask = async (threadId: ThreadId): Promise<void> => {
		// Do not start the host just to show this.
		if (host.state().state !== "ready") return;
		const mine = (asked.get(threadId) ?? 0) + 1;
		asked.set(threadId, mine);
		try {
			const { files } = await host.request(reviewList, { threadId });
			if (mine === asked.get(threadId)) set(threadId, files);
		} catch (error) {
			if (failureKind(error) === "thread-not-found") set(threadId, []);
			else log.warn(`The pending changes could not be listed: ${describeFailure(error)}`);
		}
	};
	/** A restore changes the files of the thread's sub-agents, too. */
	const askAgents = async (threadId: ThreadId): Promise<void> => {
		try {
			const { threads } = await host.request(threadList, {});
			await Promise.all(agentsBelow(threads, threadId).map(ask));
		} catch (error) {
			log.warn(`The sub-agents with pending changes could not be listed: ${describeFailure(error)}`);
		}
	};
	const refresh = async (): Promise<void> => {
		if (host.state().state !== "ready") {
			ends += 1;
			if (found.size === 0) return;
			found.clear();
			changed.fire();
			return;
		}
		const begun = ends;
		const shown = panel.threadId();
		const known = [...remembered(), ...found.keys(), ...(shown === undefined ? [] : [shown])];
		await Promise.all([...new Set(known)].map(ask));
		if (begun !== ends || knownAt === ends) return;
		knownAt = ends;
		changed.fire();
	};
	const threads = (): readonly ThreadChanges[] => {
		const all = [...found].map(([threadId, files]) => ({ threadId, files }));
		const isShown = ({ threadId }: ThreadChanges) => threadId === panel.threadId();
		return [...all.filter(isShown), ...all.filter((one) => !isShown(one))];
	};
	const filesAt = (uri: vscode.Uri): readonly ReviewedFile[] =>
		uri.scheme === "file" ? threads().flatMap(({ files }) => files.filter(({ path }) => isAt(uri, path))) : [];
	const refreshSoon = (uri: vscode.Uri): void => {
		if (filesAt(uri).length === 0) return;
		clearTimeout(timer);
		timer = setTimeout(() => void refresh(), TYPING_MS);
	};
	const disposables = [
		changed,
		panel.onDidChangeThread(() => {
			// What belongs to the open thread is something else now.
			if (found.size > 0) changed.fire();
			void refresh();
		}),
		host.onDidChangeState(() => void refresh()),
		host.onThreadEvent(({ threadId, event }) => {
			if (REFRESH_ON.has(event.type)) void ask(threadId);
			if (event.type === "restored") void askAgents(threadId);
		}),
		vscode.workspace.onDidChangeTextDocument(({ document }) => refreshSoon(document.uri)),
		vscode.workspace.onDidCloseTextDocument(({ uri }) => refreshSoon(uri)),
	];
	return {
		files: () => threads().find(({ threadId }) => threadId === panel.threadId())?.files ?? [],
		threads,
		findFile: (uri) => filesAt(uri)[0],
		hunksOf: (uri) => {
			const byId = new Map(filesAt(uri).flatMap(({ hunks }) => hunks.map((hunk) => [hunk.id, hunk])));
			return [...byId.values()].toSorted((a, b) => a.line - b.line);
		},
		findThread: (hunk) =>
			threads().find(({ files }) => files.some(({ hunks }) => hunks.some(({ id }) => id === hunk)))?.threadId,
		isKnown: () => knownAt === ends,
		onDidChange: changed.event,
		refresh,
		dispose: () => {
			clearTimeout(timer);
			vscode.Disposable.from(...disposables).dispose();
		},
	};
}

/** Compared as addresses: on Windows the editor and the host write drives in different cases. */
export function isAt(uri: vscode.Uri, path: string): boolean {
	const address = uri.toString();
	// The user may also have opened the file by its real path.
	return fileUri(path).toString() === address || vscode.Uri.file(path).toString() === address;
}

function readIds(saved: unknown): readonly ThreadId[] {
	return Array.isArray(saved) ? saved.flatMap((id) => ThreadId.safeParse(id).data ?? []) : [];
}
