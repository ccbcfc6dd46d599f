import * as vscode from "vscode";
import { countOf } from "../../l10n/t.ts";
import type { ToWebview } from "../../media/wire.ts";
import { CHAT_TAB, CHAT_VIEW, fillWebview, KEPT_LOADED, openTab } from "./chat-places.ts";
import { createPageLink, type PageHooks, type PagePlace } from "./page-link.ts";
import { mediaFolder } from "./webview-page.ts";

/**
 * A chat's page. The main one is in one place at a time: in its view, or in an editor tab while one is open; the view then says
 * so. While hidden it stays loaded, with all that is written and unfolded in it; in another place there is a new one, which
 * goes on with what the one before has kept.
 */
export interface ChatView extends vscode.Disposable {
	/** Posts a message to the page if it is loaded; a page that loads later gets the complete state. */
	readonly post: (message: ToWebview) => void;
	/** Shows the page and posts a message as soon as it is ready. */
	readonly showWith: (message: ToWebview) => Promise<void>;
	readonly reveal: () => Promise<void>;
	readonly isReady: () => boolean;
	readonly isVisible: () => boolean;
	/** Shows the number of pending approvals and questions on the view's icon. */
	readonly showWaiting: (count: number) => void;
	/** Plays a short sound if the page is there; the editor lets extensions play sounds nowhere else. */
	readonly chime: (about: "done" | "waiting") => void;
	/** Hides the page, wherever the user has put it. */
	readonly hide: () => Promise<void>;
	/** Moves the page into an editor tab, or back into its view. */
	readonly moveTo: (place: "tab" | "view") => Promise<void>;
}

/** Commands that close each place a view can be in; the first is the default place. */
const CLOSERS = ["workbench.action.closeAuxiliaryBar", "workbench.action.closeSidebar", "workbench.action.closePanel"];

export function createChatView(
	extensionUri: vscode.Uri,
	log: vscode.LogOutputChannel,
	hooks: PageHooks & { readonly activated: () => void },
): ChatView {
	const media = mediaFolder(extensionUri);
	let view: vscode.WebviewView | undefined;
	let tab: vscode.WebviewPanel | undefined;
	let waiting = 0;

	const live = (): PagePlace | undefined => tab ?? view;
	const { post, postLater, isReady, lose, show, listen } = createPageLink(live, log, hooks);
	const noteVisible = (place: PagePlace): void => {
		if (place === live() && place.visible) show();
	};
	const reveal = async (): Promise<void> => {
		if (tab !== undefined) tab.reveal();
		else await vscode.commands.executeCommand(`${CHAT_VIEW}.focus`);
	};
	const fillView = (): void => {
		void vscode.commands.executeCommand("setContext", "vitrine.chatInTab", tab !== undefined);
		if (view !== undefined) fillWebview(view.webview, media, tab === undefined ? "chat" : "elsewhere");
	};
	const adopt = (opened: vscode.WebviewPanel): void => {
		tab = opened;
		lose();
		fillView();
		listen(opened);
		opened.onDidChangeViewState(() => {
			noteVisible(opened);
			if (opened.active) hooks.activated();
		});
		opened.onDidDispose(() => {
			if (tab !== opened) return;
			tab = undefined;
			lose();
			fillView();
		});
		fillWebview(opened.webview, media, "chat");
	};
	const showBadge = (): void => {
		const tooltip = countOf(waiting, "{0} item needs your answer", "{0} items need your answer");
		if (view) view.badge = waiting === 0 ? undefined : { value: waiting, tooltip };
	};
	const provider: vscode.WebviewViewProvider = {
		resolveWebviewView(resolved) {
			view = resolved;
			if (tab === undefined) lose();
			listen(resolved);
			resolved.onDidDispose(() => {
				view = undefined;
				if (tab === undefined) lose();
			});
			resolved.onDidChangeVisibility(() => noteVisible(resolved));
			showBadge();
			fillView();
		},
	};
	const registrations = vscode.Disposable.from(
		vscode.window.registerWebviewViewProvider(CHAT_VIEW, provider, { webviewOptions: KEPT_LOADED }),
		// After a reload the editor restores the tab, empty.
		vscode.window.registerWebviewPanelSerializer(CHAT_TAB, {
			deserializeWebviewPanel: async (restored) => adopt(restored),
		}),
	);
	return {
		post,
		reveal,
		showWith: async (message) => {
			const isHere = isReady();
			if (!isHere) postLater(message);
			await reveal();
			if (isHere) post(message);
		},
		isReady,
		isVisible: () => live()?.visible ?? false,
		showWaiting: (count) => {
			waiting = count;
			showBadge();
		},
		chime: (about) => post({ type: "chime", about }),
		hide: async () => {
			if (tab !== undefined) return tab.dispose();
			for (const close of CLOSERS) {
				await vscode.commands.executeCommand(close);
				if (view?.visible !== true) return;
			}
		},
		moveTo: async (place) => {
			if (place === "view") tab?.dispose();
			else if (tab === undefined) adopt(openTab(media));
			await reveal();
		},
		dispose: () => registrations.dispose(),
	};
}
