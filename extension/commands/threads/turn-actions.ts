import * as vscode from "vscode";
import type { ThreadId, TurnId } from "../../../agent-host/protocol/ids.ts";
import { threadFork, threadRollback } from "../../../agent-host/protocol/thread/thread.ts";
import { turnSteer } from "../../../agent-host/protocol/thread/turn.ts";
import { t } from "../../../l10n/t.ts";
import type { TurnAction } from "../../panel/chat-panel.ts";
import { readEvents } from "../../panel/thread-feed.ts";
import { type Parts, shownThread } from "../parts.ts";
import { restoreTo, undoFiles } from "../review/restore-files.ts";
import { countTurnsFrom } from "./count-turns.ts";

/** Actions of the buttons at a turn. */
export const TURN_ACTIONS: Readonly<
	Record<TurnAction, (parts: Parts, threadId: ThreadId, turnId: TurnId) => Promise<void>>
> = {
	showContextSent: ({ documents }, threadId, turnId) => documents.showContextSent(threadId, turnId),
	restore: restoreTo,
	undoFiles,
	fork: (parts, threadId, turnId) => forkFrom(parts, { threadId, throughTurnId: turnId }),
	rollBack: async (parts, threadId, turnId) => {
		const turns = countTurnsFrom(await readEvents(parts.host, threadId), turnId);
		if (turns === 0) throw new Error(t("That turn is no longer part of the conversation."));
		await rollBack(parts, threadId, turns);
	},
};

/** Forks the open thread; the old one is unchanged. */
export function forkThread(parts: Parts): Promise<void> {
	return forkFrom(parts, { threadId: shownThread(parts) });
}

export function rollBackTurn(parts: Parts): Promise<void> {
	return rollBack(parts, shownThread(parts), 1);
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

async function forkFrom(
	{ host, threads, panel }: Parts,
	from: { readonly threadId: ThreadId; readonly throughTurnId?: TurnId },
): Promise<void> {
	const { threadId } = await host.request(threadFork, from);
	threads.refresh();
	await panel.showThread(threadId);
	await panel.focusInput();
}

async function rollBack({ host }: Parts, threadId: ThreadId, turns: number): Promise<void> {
	const question = turns === 1 ? t("Roll back the last turn?") : t("Roll back the last {0} turns?", turns);
	const one = "It is removed from the conversation. Files are not changed.";
	const more = "They are removed from the conversation. Files are not changed.";
	const detail = t(turns === 1 ? one : more);
	const rollBack = t("Roll Back");
	if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, rollBack)) !== rollBack) return;
	await host.request(threadRollback, { threadId, turns });
}
