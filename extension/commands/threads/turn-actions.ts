import * as vscode from "vscode";
import type { ThreadId, TurnId } from "../../../agent-host/protocol/ids.ts";
import {
	threadFork,
	threadList,
	threadRead,
	threadRename,
	threadRollback,
} from "../../../agent-host/protocol/thread/thread.ts";
import { turnSteer } from "../../../agent-host/protocol/thread/turn.ts";
import { t } from "../../../l10n/t.ts";
import { onceAtATime } from "../../facts/once-at-a-time.ts";
import { failureKind } from "../../host/call.ts";
import type { TurnAction } from "../../panel/receive-message.ts";
import { MAX_LISTED } from "../../views/threads/threads-view.ts";
import { type Parts, shownThread } from "../parts.ts";
import { restoreTo, undoFiles } from "../review/restore-files.ts";
import { titleFork } from "./fork-title.ts";

/** Actions of the buttons at a turn. */
export const TURN_ACTIONS: Readonly<
	Record<TurnAction, (parts: Parts, threadId: ThreadId, turnId: TurnId) => Promise<void>>
> = {
	showContextSent: ({ documents }, threadId, turnId) => documents.showContextSent(threadId, turnId),
	restore: restoreTo,
	undoFiles,
	fork: (parts, threadId, turnId) => forkFrom(parts, { threadId, throughTurnId: turnId }),
};

/** Forks the open thread; the old one is unchanged. */
export function forkThread(parts: Parts): Promise<void> {
	return forkFrom(parts, { threadId: shownThread(parts) });
}

/** The prompt goes back into the composer; a line in the thread offers to undo it. */
export async function rollBackTurn(parts: Parts): Promise<void> {
	await parts.host.request(threadRollback, { threadId: shownThread(parts), turns: 1 });
}

/** Sends the clipboard's text to the running turn. */
export async function steerWithClipboard(parts: Parts): Promise<void> {
	const threadId = shownThread(parts);
	const turnId = parts.turns.runningIn(threadId);
	if (turnId === undefined) throw new Error(t("No turn is running in this thread."));
	const text = (await vscode.env.clipboard.readText()).trim();
	if (text === "") throw new Error(t("The clipboard has no text."));
	await parts.host.request(turnSteer, { threadId, turnId, input: [{ kind: "text", text }] });
}

interface From {
	readonly threadId: ThreadId;
	readonly throughTurnId?: TurnId;
}

function forkFrom(parts: Parts, from: From): Promise<void> {
	return onceAtATime(`fork ${from.threadId} ${from.throughTurnId}`, () => fork(parts, from));
}

async function fork({ host, threads, panel }: Parts, from: From): Promise<void> {
	const { title } = await host.request(threadRead, { threadId: from.threadId, limit: 1 });
	const { threads: known } = await host.request(threadList, { limit: MAX_LISTED });
	const taken = known.map((thread) => thread.title);
	const { threadId } = await host.request(threadFork, from);
	// A fork looks like its original; its title tells which one is open. Without a prompt there is none yet.
	await host.request(threadRename, { threadId, title: titleFork(title, taken) }).catch((error: unknown) => {
		if (failureKind(error) !== "input-refused") throw error;
	});
	threads.refresh();
	await panel.showThread(threadId);
	await panel.focusInput();
}
