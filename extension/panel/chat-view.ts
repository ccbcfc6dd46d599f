import * as vscode from "vscode";
import { countOf } from "../../l10n/t.ts";
import { FromWebview, type ToWebview } from "../../media/wire.ts";
import { describeFailure } from "../host/call.ts";
import { CHAT_TAB, CHAT_VIEW, fillWebview, openTab } from "./chat-places.ts";
import { mediaFolder } from "./webview-page.ts";

/** Messages of the page after "ready". */
export type PageMessage = Exclude<FromWebview, { readonly type: "ready" }>;

/**
 * The chat's page. It is in one place at a time: in its view, or in an editor tab while one is open; the view then says
 * so. The page is unloaded while hidden, and has no state when it comes back.
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

export function createChatView(options: {
	readonly extensionUri: vscode.Uri;
	readonly log: vscode.LogOutputChannel;
	/** Sends the complete state to a page that is ready. */
	readonly begin: () => Promise<void>;
	readonly receive: (message: PageMessage) => Promise<void>;
}): ChatView {
	const { log } = options;
	const media = mediaFolder(options.extensionUri);
	let view: vscode.WebviewView | undefined;
	let tab: vscode.WebviewPanel | undefined;
	let ready = false;
	let waiting = 0;
	/** Messages to post once the page has its state. */
	const unsaid: ToWebview[] = [];

	const live = (): vscode.WebviewView | vscode.WebviewPanel | undefined => tab ?? view;
	const post = (message: ToWebview): void => {
		if (ready) void live()?.webview.postMessage(message);
	};
	const receive = async (message: FromWebview): Promise<void> => {
		if (message.type !== "ready") return options.receive(message);
		ready = true;
		const waiting = unsaid.splice(0);
		// Immediately: later the user may be elsewhere, and the focus must not be pulled back.
		if (waiting.some(({ type }) => type === "focusInput")) post({ type: "focusInput" });
		await options.begin();
		for (const message of [...waiting, ...unsaid.splice(0)]) if (message.type !== "focusInput") post(message);
	};
	const listen = (place: vscode.WebviewView | vscode.WebviewPanel): void => {
		place.webview.onDidReceiveMessage((raw: unknown) => {
			// Ignore messages from a page that was left.
			if (place !== live()) return;
			const message = FromWebview.safeParse(raw);
			if (!message.success) return log.warn("The panel's page sent something that is no message of ours; ignored.");
			receive(message.data).catch((error: unknown) => log.error(`${message.data.type}: ${describeFailure(error)}`));
		});
	};
	/** A hidden page is unloaded; it sends "ready" when it is shown again. */
	const hidden = (place: vscode.WebviewView | vscode.WebviewPanel): void => {
		if (place === live() && !place.visible) ready = false;
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
		ready = false;
		fillView();
		listen(opened);
		opened.onDidChangeViewState(() => hidden(opened));
		opened.onDidDispose(() => {
			if (tab !== opened) return;
			tab = undefined;
			ready = false;
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
			if (tab === undefined) ready = false;
			listen(resolved);
			resolved.onDidDispose(() => {
				view = undefined;
				if (tab === undefined) ready = false;
			});
			resolved.onDidChangeVisibility(() => hidden(resolved));
			showBadge();
			fillView();
		},
	};
	const registrations = vscode.Disposable.from(
		vscode.window.registerWebviewViewProvider(CHAT_VIEW, provider),
		// After a reload the editor restores the tab, empty.
		vscode.window.registerWebviewPanelSerializer(CHAT_TAB, {
			deserializeWebviewPanel: async (restored) => adopt(restored),
		}),
	);
	return {
		post,
		reveal,
		showWith: async (message) => {
			const isHere = ready;
			if (!isHere) unsaid.push(message);
			await reveal();
			if (isHere) post(message);
		},
		isReady: () => ready,
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
