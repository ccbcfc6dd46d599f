import * as vscode from "vscode";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { GoalRequest } from "../../agent-host/protocol/thread/goal.ts";
import { threadStart } from "../../agent-host/protocol/thread/thread.ts";
import { type PromptInput, turnInterrupt, type UserInput } from "../../agent-host/protocol/thread/turn.ts";
import { t } from "../../l10n/t.ts";
import type { PanelState, ToWebview } from "../../media/wire.ts";
import type { Offer } from "../attach/offer.ts";
import { readFolders } from "../facts/folders.ts";
import { describeFailure, failureKind } from "../host/call.ts";
import type { HostClient } from "../host/host-client.ts";
import { POLICY_EVENTS } from "../host/policy-watch.ts";
import { createChatThread, type Target } from "./chat-thread.ts";
import type { ChatView } from "./chat-view.ts";
import { createContextRelay } from "./context-relay.ts";
import type { PageHooks } from "./page-link.ts";
import { createPrompts } from "./prompts.ts";
import { createReceiver, type PageActions } from "./receive-message.ts";
import { createSideQuestions } from "./side-questions.ts";
import { createThreadFeed } from "./thread-feed.ts";
import { createTypedPrompt } from "./typed-prompt.ts";

/** What the sub-agents of a thread wait for. */
type AgentsWaiting = Pick<Extract<ToWebview, { readonly type: "agentsWaiting" }>, "approvals" | "questions">;

/** The chat: relays between the untrusted page and the host, which owns the thread. */
export interface ChatPanel
	extends vscode.Disposable,
		Pick<ChatView, "isVisible" | "showWaiting" | "chime" | "hide" | "moveTo"> {
	/** Opens a thread, or a new one, and shows the view. */
	readonly showThread: (threadId: ThreadId | undefined) => Promise<void>;
	readonly threadId: () => ThreadId | undefined;
	/** The thread that the user is in now, for what is sent after the user was asked more. */
	readonly here: () => Target;
	/** The open thread; creates one if there is none. */
	readonly ensureThread: () => Promise<ThreadId>;
	readonly onDidChangeThread: vscode.Event<ThreadId | undefined>;
	/** The user sees the chat again. */
	readonly onDidShow: vscode.Event<undefined>;
	readonly focusInput: () => Promise<void>;
	/** Puts a text and attachments into the composer, and optionally sends it. */
	readonly compose: (text: string, offers: readonly Offer[], how: "send" | "write") => Promise<void>;
	/** What is typed and attached in the composer of a thread that a chat shows. */
	readonly readTyped: (threadId: ThreadId) => Promise<readonly PromptInput[]>;
	/** Starts a turn with a prompt that a command has written. */
	readonly start: (text: string, options?: StartOptions) => Promise<void>;
	/** Starts a review of the attached changes in the open thread; nothing can be changed meanwhile. */
	readonly review: (text: string, offer: Offer, more: readonly UserInput[]) => Promise<void>;
	readonly stop: () => Promise<void>;
	/** Something waits for the user, or no longer does. */
	readonly showAgentsWaiting: () => void;
	/** Sends the state besides the thread to the page again: trust, folders, model, host. */
	readonly refresh: () => void;
}

/** How a command starts a turn. */
export interface StartOptions {
	/** The thread that the command is about; by default the one that the user is in. */
	readonly to?: Target;
	readonly goal?: GoalRequest;
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
export interface ChatParts extends PageActions {
	readonly host: HostClient;
	readonly log: vscode.LogOutputChannel;
	/** The state besides the thread, for a chat with this one. */
	readonly panelState: (threadId: ThreadId | undefined) => Promise<PanelState>;
	/** What sub-agents of the thread wait for. */
	readonly agentsWaiting: (threadId: ThreadId) => AgentsWaiting;
}

export function createChatPanel(options: ChatParts, place: ChatPlace): ChatPanel {
	const { host, log } = options;
	let hostHasRun = false;
	let couldNotShow = false;
	let panelsRead = 0;
	let hostState = host.state().state;
	const threadChanged = new vscode.EventEmitter<ThreadId | undefined>();
	const shown = new vscode.EventEmitter<undefined>();
	const view = place.createView({
		begin: async () => {
			feed.announce(thread.current());
			noteShown();
			await showPanel();
			await showSelected();
			relay.showEditor();
		},
		receive: (message) => receive(message),
		shown: () => noteShown(),
	});
	const noteShown = (): void => {
		// Started while the user reads and types, so that the first prompt does not have to wait.
		void host.start().catch(() => undefined);
		shown.fire(undefined);
	};
	const { post } = view;
	const feed = createThreadFeed(host, post);
	const thread = createChatThread({
		first: place.threadId,
		make: async () => {
			const cwd = readFolders().first;
			return (await host.request(threadStart, cwd === undefined ? {} : { cwd })).threadId;
		},
		changed: (next) => {
			place.keep(next);
			threadChanged.fire(next);
		},
		show: (begun) => feed.show(begun, "begun"),
	});
	const relay = createContextRelay({ host, post, threadId: thread.current });
	const showPanel = async (): Promise<void> => {
		panelsRead += 1;
		const mine = panelsRead;
		const panel = await options.panelState(thread.current());
		// An outdated state must not replace a newer one.
		if (mine === panelsRead) post({ type: "panel", panel });
	};
	const showAgentsWaiting = (): void => {
		const threadId = thread.current();
		if (threadId !== undefined && view.isReady())
			post({ type: "agentsWaiting", threadId, ...options.agentsWaiting(threadId) });
	};
	const showSelected = async (): Promise<void> => {
		const selected = thread.current();
		try {
			await feed.show(selected);
			couldNotShow = false;
			showAgentsWaiting();
		} catch (error) {
			couldNotShow = true;
			log.error(`The thread could not be shown: ${describeFailure(error)}`);
			// The user may be in another one by now.
			if (thread.current() !== selected) return;
			// A thread that was deleted elsewhere must not block the panel: the next prompt starts a new one.
			if (failureKind(error) === "thread-not-found") {
				thread.select(undefined);
				await feed.show(undefined);
			}
			post({
				type: "problem",
				message: t("Couldn't show the thread: {0}", describeFailure(error)),
				action: "showLog",
			});
		}
	};
	const showThread = async (next: ThreadId | undefined): Promise<void> => {
		thread.select(next);
		// Before anything is waited for, so that what is typed meanwhile is written there.
		feed.announce(next);
		await view.reveal();
		if (view.isReady()) await showSelected();
	};
	const ensureThread = (): Promise<ThreadId> => thread.here()();
	const compose = (text: string): void => post({ type: "compose", text, attach: [], how: "write" });
	const stop = async (threadId = thread.current()): Promise<void> => {
		if (threadId !== undefined && host.state().state === "ready") await host.request(turnInterrupt, { threadId });
	};
	const prompts = createPrompts({ host, ...thread, readAttached: relay.read, compose, stop });
	const typed = createTypedPrompt({ isReady: view.isReady, post, toInput: prompts.read });
	const sideQuestions = createSideQuestions({ host, ensureThread, post });
	const receive = createReceiver({
		...{ host, post, prompts, typed, relay, sideQuestions, stop, showThread, showSelected },
		threadId: thread.current,
		activated: place.activated,
		actions: options,
	});
	if (place.opening === "show") void showThread(thread.current());
	const disposables = [
		threadChanged,
		shown,
		relay,
		sideQuestions,
		view,
		host.onThreadEvent((event) => {
			feed.receive(event);
			// Only the active chat is told by the watch of its policy.
			if (!place.isActive() && event.threadId === thread.current() && POLICY_EVENTS.has(event.event.type))
				void showPanel();
		}),
		host.onDidChangeState(({ state }) => {
			void showPanel();
			const isNew = state !== hostState;
			hostState = state;
			if (state !== "ready" || !isNew) return;
			// A restarted host knows how its predecessor's turn ended, and may show what another could not.
			if ((hostHasRun || couldNotShow) && view.isReady()) void showSelected();
			hostHasRun = true;
		}),
	];
	return {
		threadId: thread.current,
		here: thread.here,
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
		readTyped: async (threadId) => (threadId === thread.current() ? typed.read() : []),
		start: async (text, { to = thread.here(), goal } = {}) => {
			await view.reveal();
			await prompts.start(to, text, goal);
		},
		review: async (text, offer, more) => {
			const to = thread.here();
			const attached = await offer.read();
			await view.reveal();
			await prompts.review(to, text, [attached, ...more]);
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
