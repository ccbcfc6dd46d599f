import * as vscode from "vscode";
import type { QuestionAnswer } from "../../agent-host/protocol/approval/question.ts";
import { ThreadId, TurnId } from "../../agent-host/protocol/ids.ts";
import { threadCompact, threadCompactUndo, threadPin } from "../../agent-host/protocol/thread/compaction.ts";
import { contextInspect } from "../../agent-host/protocol/thread/context.ts";
import { type GoalRequest, goalChange } from "../../agent-host/protocol/thread/goal.ts";
import { processBackground } from "../../agent-host/protocol/thread/process.ts";
import { threadStart } from "../../agent-host/protocol/thread/thread.ts";
import { turnInterrupt, type UserInput } from "../../agent-host/protocol/thread/turn.ts";
import { t } from "../../l10n/t.ts";
import type { FromWebview, PanelCommand, PanelState, ReviewAct, ToWebview } from "../../media/wire.ts";
import { offerAllAgain } from "../attach/attach-again.ts";
import type { Offer } from "../attach/offer.ts";
import { readFolders } from "../facts/folders.ts";
import type { UserAnswer } from "../host/approvals.ts";
import { describeFailure, failureKind } from "../host/call.ts";
import type { HostClient } from "../host/host-client.ts";
import { POLICY_EVENTS } from "../host/policy-watch.ts";
import type { ChatView } from "./chat-view.ts";
import { createContextRelay } from "./context-relay.ts";
import { toInspectorState } from "./inspector-state.ts";
import { showInTerminal } from "./open/command-terminal.ts";
import { openFile } from "./open/open-file.ts";
import { openLink } from "./open/open-link.ts";
import { applyCode, insertCode } from "./open/place-code.ts";
import type { PageHooks, PageMessage } from "./page-link.ts";
import { createPrompts, imageUrl } from "./prompts.ts";
import { createSideQuestions } from "./side-questions.ts";
import { createThreadFeed } from "./thread-feed.ts";

/** What the sub-agents of a thread wait for. */
type AgentsWaiting = Pick<Extract<ToWebview, { readonly type: "agentsWaiting" }>, "approvals" | "questions">;

/** Actions of the page on one turn. */
export type TurnAction = Extract<
	FromWebview,
	{ readonly type: "showContextSent" | "fork" | "restore" | "undoFiles" }
>["type"];

/** The chat: relays between the untrusted page and the host, which owns the thread. */
export interface ChatPanel
	extends vscode.Disposable,
		Pick<ChatView, "isVisible" | "showWaiting" | "chime" | "hide" | "moveTo"> {
	/** Opens a thread, or a new one, and shows the view. */
	readonly showThread: (threadId: ThreadId | undefined) => Promise<void>;
	readonly threadId: () => ThreadId | undefined;
	/** The open thread; creates one if there is none. */
	readonly ensureThread: () => Promise<ThreadId>;
	readonly onDidChangeThread: vscode.Event<ThreadId | undefined>;
	/** The user sees the chat again. */
	readonly onDidShow: vscode.Event<undefined>;
	readonly focusInput: () => Promise<void>;
	/** Puts a text and attachments into the composer, and optionally sends it. */
	readonly compose: (text: string, offers: readonly Offer[], how: "send" | "write") => Promise<void>;
	/** Starts a turn in the open thread with a prompt that a command has written. */
	readonly start: (text: string, goal?: GoalRequest) => Promise<void>;
	/** Starts a review of the attached changes in the open thread; nothing can be changed meanwhile. */
	readonly review: (text: string, offer: Offer, more: readonly UserInput[]) => Promise<void>;
	readonly stop: () => Promise<void>;
	/** Something waits for the user, or no longer does. */
	readonly showAgentsWaiting: () => void;
	/** Sends the state besides the thread to the page again: trust, folders, model, host. */
	readonly refresh: () => void;
}

/** Where a chat is, and what it begins with. */
export interface ChatPlace {
	readonly createView: (hooks: PageHooks) => ChatView;
	readonly threadId: ThreadId | undefined;
	/** Whether to show the thread at once. */
	readonly opening: "show" | "wait";
	readonly keep: (threadId: ThreadId | undefined) => void;
	/** The user is in this chat now. */
	readonly activated: () => void;
	/** Whether commands are about this chat. */
	readonly isActive: () => boolean;
}

/** What all chats of a window share. */
export interface ChatParts {
	readonly host: HostClient;
	readonly log: vscode.LogOutputChannel;
	/** The state besides the thread, for a chat with this one. */
	readonly panelState: (threadId: ThreadId | undefined) => Promise<PanelState>;
	readonly runCommand: (command: PanelCommand) => void;
	/** Returns the reason if the answer is rejected. */
	readonly answerApproval: (answer: UserAnswer) => Promise<string | undefined>;
	/** Returns the reason if the answer is rejected. */
	readonly answerQuestion: (questionId: string, answer: QuestionAnswer) => string | undefined;
	/** What sub-agents of the thread wait for. */
	readonly agentsWaiting: (threadId: ThreadId) => AgentsWaiting;
	/** Shows the full diff of a patch that needs approval. */
	readonly remember: (text: string) => void;
	/** Starts a review of a commit or a branch. */
	readonly reviewRef: (of: "branch" | "commit", ref: string) => void;
	/** Asks for the check and the budget of a goal, and sets it. */
	readonly setGoal: (text: string) => void;
	readonly openDiff: (threadId: ThreadId, approvalId: string) => Promise<void>;
	/** Opens, keeps or rejects the pending changes of a file. */
	readonly reviewFile: (threadId: ThreadId, path: string, act: ReviewAct) => void;
	/** Does not show this finding again in this workspace. */
	readonly dismissFinding: (finding: { readonly path: string; readonly title: string }) => Promise<void>;
	readonly actOnTurn: (action: TurnAction, threadId: ThreadId, turnId: TurnId) => Promise<void>;
}

export function createChatPanel(options: ChatParts, place: ChatPlace): ChatPanel {
	const { host, log } = options;
	let hostHasRun = false;
	let panelsRead = 0;
	let hostState = host.state().state;
	let { threadId } = place;
	const threadChanged = new vscode.EventEmitter<ThreadId | undefined>();
	const shown = new vscode.EventEmitter<undefined>();
	const view = place.createView({
		begin: async () => {
			// Started while the user reads and types, so that the first prompt does not have to wait.
			void host.start().catch(() => undefined);
			shown.fire(undefined);
			await showPanel();
			await showSelected();
			relay.showEditor();
		},
		receive: (message) => receive(message),
	});
	const { post } = view;
	const feed = createThreadFeed(host, post);
	const relay = createContextRelay({ host, post, threadId: () => threadId });
	const select = (next: ThreadId | undefined): void => {
		threadId = next;
		place.keep(next);
		threadChanged.fire(next);
	};
	const showPanel = async (): Promise<void> => {
		panelsRead += 1;
		const mine = panelsRead;
		const panel = await options.panelState(threadId);
		// An outdated state must not replace a newer one.
		if (mine === panelsRead) post({ type: "panel", panel });
	};
	const showAgentsWaiting = (): void => {
		if (threadId !== undefined && view.isReady())
			post({ type: "agentsWaiting", threadId, ...options.agentsWaiting(threadId) });
	};
	const showSelected = async (): Promise<void> => {
		try {
			await feed.show(threadId);
			showAgentsWaiting();
		} catch (error) {
			log.error(`The thread could not be shown: ${describeFailure(error)}`);
			post({
				type: "problem",
				message: t("Couldn't show the thread: {0}", describeFailure(error)),
				action: "showLog",
			});
			// A thread that was deleted elsewhere must not block the panel: the next prompt starts a new one.
			if (failureKind(error) === "thread-not-found") {
				select(undefined);
				await feed.show(undefined);
			}
		}
	};
	const showThread = async (next: ThreadId | undefined): Promise<void> => {
		select(next);
		await view.reveal();
		if (view.isReady()) await showSelected();
	};
	const ensureThread = async (): Promise<ThreadId> => {
		if (threadId !== undefined) return threadId;
		const cwd = readFolders().first;
		const begun = await host.request(threadStart, cwd === undefined ? {} : { cwd });
		select(begun.threadId);
		await feed.show(begun.threadId);
		return begun.threadId;
	};
	const compose = (text: string): void => post({ type: "compose", text, attach: [], how: "write" });
	const prompts = createPrompts({ host, ensureThread, readAttached: relay.read, compose });
	const sideQuestions = createSideQuestions({ host, ensureThread, post });
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
	const receive = async (message: PageMessage): Promise<void> => {
		switch (message.type) {
			case "focused":
				return place.activated();
			case "submit":
				return answer(message.id, async () => {
					if (message.stop) await stop();
					await prompts.send(message);
				});
			case "runShell":
				return answer(message.id, async () => {
					if (message.stop) await stop();
					await prompts.runShell(message);
				});
			case "steer":
				return answer(message.id, () => prompts.steer(message));
			case "resend":
				return answer(message.id, async () => threadId && prompts.resend(threadId, message));
			case "askAside":
				return sideQuestions.ask(message.id, message.text);
			case "stopAside":
				return sideQuestions.stop(message.id);
			case "reviewRef":
				return options.reviewRef(message.of, message.ref);
			case "setGoal":
				return options.setGoal(message.text);
			case "changeGoal":
				return tryTo(async () => {
					if (threadId !== undefined) await host.request(goalChange, { threadId, to: message.to });
				});
			case "dismissFinding":
				return tryTo(() => options.dismissFinding(message));
			case "findMentions":
				return relay.find(message);
			case "attachFiles":
			case "attachText":
				return tryTo(() => relay.attachDropped(message));
			case "attachAgain":
				return tryTo(async () => {
					if (threadId !== undefined) relay.attach(offerAllAgain(await prompts.attachedTo(threadId, message.turnId)));
				});
			case "readImage":
				return post({ type: "image", imageId: message.imageId, url: await imageUrl(host, threadId, message.imageId) });
			case "stop":
				return stop();
			case "retry":
				return tryTo(async () => {
					if (message.stop) await stop();
					if (threadId !== undefined) await prompts.repeat(threadId, message.turnId);
				});
			case "openThread":
				return tryTo(() => showThread(ThreadId.parse(message.threadId)));
			case "resync":
				return showSelected();
			case "run":
				return options.runCommand(message.command);
			case "openLink":
				return openLink(message.url);
			case "openFile":
				return tryTo(() => openFile(message.path, message.line));
			case "readContext":
				return tryTo(async () => {
					const asked = threadId;
					if (asked === undefined) return;
					const result = await host.request(contextInspect, { threadId: asked });
					if (asked === threadId) post({ type: "context", context: toInspectorState(result, 0) });
				});
			case "showInTerminal":
				return tryTo(async () => threadId && showInTerminal(host, threadId, message.itemId));
			case "moveToBackground":
				return tryTo(async () => {
					if (threadId === undefined) return;
					const { reason } = await host.request(processBackground, { threadId, callId: message.callId });
					if (reason !== undefined) throw new Error(reason);
				});
			case "copy":
				return vscode.env.clipboard.writeText(message.text);
			case "insertCode":
				return tryTo(() => insertCode(message.text));
			case "applyCode":
				return tryTo(() => applyCode(message.text, message.path));
			case "reviewFile":
				if (threadId !== undefined) options.reviewFile(threadId, message.path, message.act);
				return;
			case "showContextSent":
			case "restore":
			case "undoFiles":
			case "fork":
				return tryTo(async () => threadId && options.actOnTurn(message.type, threadId, TurnId.parse(message.turnId)));
			case "compact":
				return tryTo(async () => threadId && host.request(threadCompact, { threadId, ...toCompactRange(message) }));
			case "remember":
				return options.remember(message.text);
			case "pin":
				return tryTo(async () => threadId && host.request(threadPin, { threadId, ...toPin(message) }));
			case "undoCompaction":
				return tryTo(async () => threadId && host.request(threadCompactUndo, { threadId }));
			case "showDiff":
				return tryTo(async () => threadId && options.openDiff(threadId, message.approvalId));
			case "answerApproval":
				return tryTo(() => options.answerApproval(message));
			case "answerQuestion":
				return tryTo(async () => options.answerQuestion(message.questionId, message));
		}
	};
	if (place.opening === "show") void showThread(threadId);
	const stop = async (): Promise<void> => {
		if (threadId !== undefined && host.state().state === "ready") await host.request(turnInterrupt, { threadId });
	};
	const disposables = [
		threadChanged,
		shown,
		relay,
		sideQuestions,
		view,
		host.onThreadEvent((event) => {
			feed.receive(event);
			// Only the active chat is told by the watch of its policy.
			if (!place.isActive() && event.threadId === threadId && POLICY_EVENTS.has(event.event.type)) void showPanel();
		}),
		host.onDidChangeState(({ state }) => {
			void showPanel();
			const isNew = state !== hostState;
			hostState = state;
			if (state !== "ready" || !isNew) return;
			// A restarted host knows how its predecessor's turn ended.
			if (hostHasRun && view.isReady()) void showSelected();
			hostHasRun = true;
		}),
	];
	return {
		threadId: () => threadId,
		ensureThread,
		onDidChangeThread: threadChanged.event,
		onDidShow: shown.event,
		isVisible: view.isVisible,
		showWaiting: view.showWaiting,
		chime: view.chime,
		hide: view.hide,
		moveTo: view.moveTo,
		showThread,
		focusInput: () => view.showWith({ type: "focusInput" }),
		compose: (text, offers, how) => view.showWith(relay.compose(text, offers, how)),
		start: async (text, goal) => {
			await view.reveal();
			await prompts.start(text, goal);
		},
		review: async (text, offer, more) => {
			const attached = await offer.read();
			await view.reveal();
			await prompts.review(text, [attached, ...more]);
		},
		stop,
		showAgentsWaiting,
		refresh: () => {
			void showPanel();
			relay.showEditor();
		},
		dispose: () => vscode.Disposable.from(...disposables).dispose(),
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
