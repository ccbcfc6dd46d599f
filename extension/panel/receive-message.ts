import * as vscode from "vscode";
import type { QuestionAnswer } from "../../agent-host/protocol/approval/question.ts";
import { ThreadId, TurnId } from "../../agent-host/protocol/ids.ts";
import { threadCompact, threadCompactUndo, threadPin } from "../../agent-host/protocol/thread/compaction.ts";
import { contextInspect } from "../../agent-host/protocol/thread/context.ts";
import { goalChange } from "../../agent-host/protocol/thread/goal.ts";
import { processBackground } from "../../agent-host/protocol/thread/process.ts";
import type { FromWebview, PanelCommand, ReviewAct, ToWebview } from "../../media/wire.ts";
import { offerAllAgain } from "../attach/attach-again.ts";
import { onceAtATime } from "../facts/once-at-a-time.ts";
import type { UserAnswer } from "../host/approvals.ts";
import { describeFailure } from "../host/call.ts";
import type { HostClient } from "../host/host-client.ts";
import type { ContextRelay } from "./context-relay.ts";
import { toInspectorState } from "./inspector-state.ts";
import { showInTerminal } from "./open/command-terminal.ts";
import { openFile } from "./open/open-file.ts";
import { openLink } from "./open/open-link.ts";
import { applyCode, insertCode } from "./open/place-code.ts";
import type { PageMessage } from "./page-link.ts";
import { imageUrl, type Prompts } from "./prompts.ts";
import type { SideQuestions } from "./side-questions.ts";
import { readArguments } from "./thread-feed.ts";
import type { TypedPrompt } from "./typed-prompt.ts";

/** Actions of the page on one turn. */
export type TurnAction = Extract<
	FromWebview,
	{ readonly type: "showContextSent" | "fork" | "restore" | "undoFiles" }
>["type"];

/** What pages can have done outside their chat. */
export interface PageActions {
	/** In a page with this thread. */
	readonly runCommand: (command: PanelCommand, threadId: ThreadId | undefined) => Promise<void>;
	/** Returns the reason if the answer is rejected. */
	readonly answerApproval: (answer: UserAnswer) => Promise<string | undefined>;
	/** Returns the reason if the answer is rejected. */
	readonly answerQuestion: (questionId: string, answer: QuestionAnswer) => string | undefined;
	/** Adds a line to the instructions, as a change to review. */
	readonly remember: (text: string) => void;
	/** Starts a review of a commit or a branch. */
	readonly reviewRef: (of: "branch" | "commit", ref: string) => void;
	/** Asks for the check and the budget of a goal, and sets it. */
	readonly setGoal: (text: string) => void;
	/** Shows the full diff of a patch that needs approval. */
	readonly openDiff: (threadId: ThreadId, approvalId: string) => Promise<void>;
	/** Opens, keeps or rejects the pending changes of a file. */
	readonly reviewFile: (threadId: ThreadId, path: string, act: ReviewAct) => void;
	/** Does not show this finding again in this workspace. */
	readonly dismissFinding: (finding: { readonly path: string; readonly title: string }) => Promise<void>;
	readonly actOnTurn: (action: TurnAction, threadId: ThreadId, turnId: TurnId) => Promise<void>;
}

/** The chat that the page belongs to. */
interface Receiving {
	readonly host: HostClient;
	readonly post: (message: ToWebview) => void;
	readonly prompts: Prompts;
	readonly typed: TypedPrompt;
	readonly relay: ContextRelay;
	readonly sideQuestions: SideQuestions;
	readonly actions: PageActions;
	/** The open thread. */
	readonly threadId: () => ThreadId | undefined;
	/** The user is in this chat now. */
	readonly activated: () => void;
	readonly stop: () => Promise<void>;
	readonly showThread: (threadId: ThreadId | undefined) => Promise<void>;
	/** Sends the open thread to the page again. */
	readonly showSelected: () => Promise<void>;
}

/** Does what a message of the page asks for, in the open thread. The page is not trusted. */
export function createReceiver(chat: Receiving): (message: PageMessage) => Promise<void> {
	const { host, post, prompts, relay, sideQuestions, actions, threadId, stop } = chat;
	/** Tells the page whether its message was accepted. */
	const answer = async (id: string, work: () => Promise<unknown>): Promise<void> => {
		try {
			await work();
			post({ type: "submitted", id });
		} catch (error) {
			post({ type: "submitted", id, problem: describeFailure(error) });
		}
	};
	/** Runs something and shows its error or returned problem in the page. */
	const tryTo = async (work: () => Promise<unknown>): Promise<void> => {
		const problem = await work().catch(describeFailure);
		if (typeof problem === "string") post({ type: "problem", message: problem });
	};
	/** The same with the open thread; a message about none does nothing. */
	const tryInThread = (work: (threadId: ThreadId) => Promise<unknown>): Promise<void> =>
		tryTo(async () => {
			const open = threadId();
			return open === undefined ? undefined : work(open);
		});
	return async (message) => {
		switch (message.type) {
			case "focused":
				return chat.activated();
			case "submit":
				return answer(message.id, () => prompts.send(message));
			case "typed":
				return chat.typed.receive(message);
			case "runShell":
				return answer(message.id, () => prompts.runShell(message));
			case "steer":
				return answer(message.id, () => prompts.steer(message));
			case "resend":
				return answer(message.id, async () => {
					const open = threadId();
					if (open !== undefined) await prompts.resend(open, message);
				});
			case "askAside":
				return sideQuestions.ask(message.id, message.text);
			case "stopAside":
				return sideQuestions.stop(message.id);
			case "reviewRef":
				return actions.reviewRef(message.of, message.ref);
			case "setGoal":
				return actions.setGoal(message.text);
			case "changeGoal":
				return tryInThread((open) => host.request(goalChange, { threadId: open, to: message.to }));
			case "dismissFinding":
				return tryTo(() => actions.dismissFinding(message));
			case "findMentions":
				return relay.find(message);
			case "attachFiles":
			case "attachText":
				return tryTo(() => relay.attachDropped(message));
			case "attachAgain":
				return tryInThread(async (open) => relay.attach(offerAllAgain(await prompts.attachedTo(open, message.turnId))));
			case "readImage":
				return post({
					type: "image",
					imageId: message.imageId,
					url: await imageUrl(host, threadId(), message.imageId),
				});
			case "readPatch":
				return tryInThread(async (open) => {
					const text = await readArguments(host, open, message.seq);
					post({ type: "patch", threadId: open, seq: message.seq, text: text ?? "" });
				});
			case "stop":
				return stop();
			case "retry":
				return tryInThread((open) =>
					onceAtATime(`retry ${open}`, async () => {
						if (message.stop) await stop();
						await prompts.repeat(open, message.turnId);
					}),
				);
			case "openThread":
				return tryTo(() => chat.showThread(ThreadId.parse(message.threadId)));
			case "resync":
				return chat.showSelected();
			case "run":
				return actions.runCommand(message.command, threadId());
			case "openLink":
				return openLink(message.url);
			case "openFile":
				return tryTo(() => openFile(message.path, message.line));
			case "readContext":
				return tryInThread(async (open) => {
					const result = await host.request(contextInspect, { threadId: open });
					if (open === threadId()) post({ type: "context", context: toInspectorState(result, 0) });
				});
			case "showInTerminal":
				return tryInThread((open) => showInTerminal(host, open, message.itemId));
			case "moveToBackground":
				return tryInThread(async (open) => {
					const { reason } = await host.request(processBackground, { threadId: open, callId: message.callId });
					if (reason !== undefined) throw new Error(reason);
				});
			case "copy":
				return vscode.env.clipboard.writeText(message.text);
			case "insertCode":
				return tryTo(() => insertCode(message.text));
			case "applyCode":
				return tryTo(() => applyCode(message.text, message.path));
			case "reviewFile":
				return tryInThread(async (open) => actions.reviewFile(open, message.path, message.act));
			case "showContextSent":
			case "restore":
			case "undoFiles":
			case "fork":
				return tryInThread((open) => actions.actOnTurn(message.type, open, TurnId.parse(message.turnId)));
			case "compact":
				return tryInThread((open) =>
					onceAtATime(`compact ${open}`, async () => {
						try {
							await host.request(threadCompact, { threadId: open, ...toCompactRange(message) });
						} catch (error) {
							const { focus } = message;
							if (focus !== undefined) post({ type: "compose", text: `/compact ${focus}`, attach: [], how: "write" });
							throw error;
						}
					}),
				);
			case "remember":
				return actions.remember(message.text);
			case "pin":
				return tryInThread((open) => host.request(threadPin, { threadId: open, ...toPin(message) }));
			case "undoCompaction":
				return tryInThread((open) => host.request(threadCompactUndo, { threadId: open }));
			case "showDiff":
				return tryInThread((open) => actions.openDiff(open, message.approvalId));
			case "answerApproval":
				return tryTo(() => actions.answerApproval(message));
			case "answerQuestion":
				return tryTo(async () => actions.answerQuestion(message.questionId, message));
		}
	};
}

function toCompactRange({ focus, throughTurnId: through }: Extract<FromWebview, { readonly type: "compact" }>) {
	return {
		...(focus === undefined ? {} : { focus }),
		...(through === undefined ? {} : { throughTurnId: TurnId.parse(through) }),
	};
}

function toPin({ turnId, steered, pinned }: Extract<FromWebview, { readonly type: "pin" }>) {
	return { turnId: TurnId.parse(turnId), ...(steered === undefined ? {} : { steered }), pinned };
}
