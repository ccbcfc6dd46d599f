import * as vscode from "vscode";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import { createActiveChat } from "./active-chat.ts";
import type { ChatPanel, ChatPlace } from "./chat-panel.ts";

/** All chats of the window: the one of the chat's view, and tabs with a thread each. Used like the active one. */
export interface Chats extends ChatPanel {
	/** Opens a thread in a tab of its own, or shows the tab that has it. */
	readonly openInTab: (threadId: ThreadId, title: string) => void;
	/** The threads that the user can see. */
	readonly threadsInView: () => readonly ThreadId[];
	/** Shows no longer a thread that is gone. */
	readonly leave: (threadId: ThreadId) => Promise<void>;
}

/** How a chat and the choice among all of them know each other. */
export type Choice = Pick<ChatPlace, "activated" | "isActive">;

export type TabChoice = Choice & { readonly closed: () => void };

export interface ChatMaker {
	readonly main: (choice: Choice) => ChatPanel;
	readonly tab: (threadId: ThreadId, title: string, choice: TabChoice) => ChatPanel;
	/** Calls `add` for each tab that the editor restores after a reload. */
	readonly restoreTabs: (add: (make: (choice: TabChoice) => ChatPanel, isActive: boolean) => void) => vscode.Disposable;
}

export function createChats(make: ChatMaker): Chats {
	const threadChanged = new vscode.EventEmitter<ThreadId | undefined>();
	const shown = new vscode.EventEmitter<undefined>();
	const main: ChatPanel = make.main({ activated: () => chats.activate(main), isActive: () => active() === main });
	const chats = createActiveChat(main, () => threadChanged.fire(active().threadId()));
	const active = (): ChatPanel => chats.current();
	const find = (threadId: ThreadId | undefined): ChatPanel | undefined =>
		threadId === undefined ? undefined : chats.all().find((chat) => chat !== main && chat.threadId() === threadId);
	const follow = (chat: ChatPanel): vscode.Disposable =>
		vscode.Disposable.from(
			chat.onDidShow(() => shown.fire(undefined)),
			chat.onDidChangeThread((threadId) => {
				if (chat === active()) threadChanged.fire(threadId);
			}),
		);
	const addTab = (makeTab: (choice: TabChoice) => ChatPanel): ChatPanel => {
		const added: ChatPanel = makeTab({
			activated: () => chats.activate(added),
			isActive: () => active() === added,
			closed: () => {
				chats.remove(added);
				watching.dispose();
				added.dispose();
			},
		});
		const watching = follow(added);
		chats.add(added);
		return added;
	};
	const following = follow(main);
	const restoring = make.restoreTabs((makeTab, isActive) => {
		const restored = addTab(makeTab);
		if (isActive) chats.activate(restored);
	});
	return {
		openInTab: (threadId, title) => {
			const open = find(threadId);
			if (open !== undefined) {
				chats.activate(open);
				void open.focusInput();
				return;
			}
			chats.activate(addTab((choice) => make.tab(threadId, title, choice)));
		},
		threadsInView: () => {
			const visible = chats.all().filter((chat) => chat.isVisible());
			return visible.flatMap((chat) => chat.threadId() ?? []);
		},
		leave: async (threadId) => {
			for (const chat of chats.all()) {
				if (chat.threadId() !== threadId) continue;
				await (chat === main ? main.showThread(undefined) : chat.hide());
			}
		},
		showThread: async (threadId) => {
			const chat = find(threadId) ?? main;
			chats.activate(chat);
			await (chat === main ? main.showThread(threadId) : chat.focusInput());
		},
		threadId: () => active().threadId(),
		here: () => active().here(),
		ensureThread: () => active().ensureThread(),
		onDidChangeThread: threadChanged.event,
		onDidShow: shown.event,
		isVisible: () => active().isVisible(),
		hide: () => active().hide(),
		focusInput: () => active().focusInput(),
		compose: (text, offers, how) => active().compose(text, offers, how),
		readTyped: async (threadId) => {
			const showing = [active(), ...chats.all()].find((chat) => chat.threadId() === threadId);
			return showing === undefined ? [] : showing.readTyped(threadId);
		},
		start: (text, options) => active().start(text, options),
		review: (text, offer, more) => active().review(text, offer, more),
		stop: () => active().stop(),
		moveTo: (place) => {
			chats.activate(main);
			return main.moveTo(place);
		},
		showWaiting: (count) => main.showWaiting(count),
		// Once, by whichever page is loaded.
		chime: (about) => (chats.all().find((chat) => chat.isVisible()) ?? main).chime(about),
		showAgentsWaiting: () => {
			for (const chat of chats.all()) chat.showAgentsWaiting();
		},
		refresh: () => {
			for (const chat of chats.all()) chat.refresh();
		},
		dispose: () => {
			following.dispose();
			restoring.dispose();
			threadChanged.dispose();
			shown.dispose();
			for (const chat of chats.all()) chat.dispose();
		},
	};
}
