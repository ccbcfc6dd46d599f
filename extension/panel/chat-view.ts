import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { countOf } from "../../l10n/t.ts";
import { FromWebview, type ToWebview } from "../../media/wire.ts";
import { reasonOf } from "../host/call.ts";
import { renderPage } from "./page.ts";

export const CHAT_VIEW = "vitrine.chat";

/** What the page says once it is ready. */
export type PageMessage = Exclude<FromWebview, { readonly type: "ready" }>;

/** The webview of the chat. Its page is unloaded while it is hidden, and knows nothing when it comes back. */
export interface ChatView extends vscode.Disposable {
	/** Says something to the page if it is there to hear it; a page that comes later is told everything anew. */
	readonly post: (message: ToWebview) => void;
	/** Brings the view to the front and says something to its page, as soon as it is ready. */
	readonly showWith: (message: ToWebview) => Promise<void>;
	readonly reveal: () => Thenable<void>;
	readonly isReady: () => boolean;
	readonly isVisible: () => boolean;
	/** Says on the view's icon how many questions wait. */
	readonly showWaiting: (count: number) => void;
}

export function createChatView(options: {
	readonly extensionUri: vscode.Uri;
	readonly log: vscode.LogOutputChannel;
	/** Tells a page that is ready all that it has to know. */
	readonly begin: () => Promise<void>;
	readonly receive: (message: PageMessage) => Promise<void>;
}): ChatView {
	const { log } = options;
	let view: vscode.WebviewView | undefined;
	let ready = false;
	let waiting = 0;
	/** Said when the page knows the thread. */
	const unsaid: ToWebview[] = [];

	const post = (message: ToWebview): void => {
		if (ready) void view?.webview.postMessage(message);
	};
	const receive = async (message: FromWebview): Promise<void> => {
		if (message.type !== "ready") return options.receive(message);
		ready = true;
		const waiting = unsaid.splice(0);
		// At once: in a second the user may be somewhere else, and must not be fetched back.
		if (waiting.some(({ type }) => type === "focusInput")) post({ type: "focusInput" });
		await options.begin();
		for (const message of [...waiting, ...unsaid.splice(0)]) if (message.type !== "focusInput") post(message);
	};
	const reveal = (): Thenable<void> => vscode.commands.executeCommand(`${CHAT_VIEW}.focus`);
	const showBadge = (): void => {
		const tooltip = countOf(waiting, "{0} question waits for you", "{0} questions wait for you");
		if (view) view.badge = waiting === 0 ? undefined : { value: waiting, tooltip };
	};
	const provider: vscode.WebviewViewProvider = {
		resolveWebviewView(resolved) {
			view = resolved;
			ready = false;
			const media = vscode.Uri.joinPath(options.extensionUri, "media", "dist");
			resolved.webview.options = { enableScripts: true, localResourceRoots: [media] };
			resolved.webview.onDidReceiveMessage((raw: unknown) => {
				const message = FromWebview.safeParse(raw);
				if (!message.success) return log.warn("The panel's page sent something that is no message of ours; ignored.");
				receive(message.data).catch((error: unknown) => log.error(`${message.data.type}: ${reasonOf(error)}`));
			});
			resolved.onDidDispose(() => {
				view = undefined;
				ready = false;
			});
			resolved.onDidChangeVisibility(() => {
				// A hidden page is unloaded; it says "ready" when it is shown again.
				if (!resolved.visible) ready = false;
			});
			showBadge();
			resolved.webview.html = htmlFor(resolved.webview, media);
		},
	};
	const registration = vscode.window.registerWebviewViewProvider(CHAT_VIEW, provider);
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
		isVisible: () => view?.visible ?? false,
		showWaiting: (count) => {
			waiting = count;
			showBadge();
		},
		dispose: () => registration.dispose(),
	};
}

function htmlFor(webview: vscode.Webview, media: vscode.Uri): string {
	const uri = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(media, name)).toString();
	return renderPage({
		view: CHAT_VIEW,
		title: "Vitrine",
		language: vscode.env.language,
		words: vscode.l10n.bundle,
		nonce: randomBytes(16).toString("hex"),
		cspSource: webview.cspSource,
		script: uri("panel.js"),
		styles: [uri("codicon.css"), uri("panel.css")],
	});
}
