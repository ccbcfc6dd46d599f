import type * as vscode from "vscode";
import { FromWebview, type ToWebview } from "../../media/wire.ts";
import { describeFailure } from "../host/call.ts";

/** Messages of the page to its chat. */
export type PageMessage = Exclude<FromWebview, { readonly type: "ready" | "keep" }>;

/** What a chat does for its page. */
export interface PageHooks {
	/** Sends the complete state to a page that is ready. */
	readonly begin: () => Promise<void>;
	readonly receive: (message: PageMessage) => Promise<void>;
	/** The user sees the page again. */
	readonly shown: () => void;
}

/** A place for a page: a view, or an editor tab. */
export type PagePlace = vscode.WebviewView | vscode.WebviewPanel;

/** The connection to a page that may be in one place or another, and is a new one in each. */
export interface PageLink {
	/** Posts a message to the page if it is loaded; a page that loads later gets the complete state. */
	readonly post: (message: ToWebview) => void;
	/** Posts a message once the page has its state. */
	readonly postLater: (message: ToWebview) => void;
	readonly isReady: () => boolean;
	/** The page is gone; the next one sends "ready". */
	readonly lose: () => void;
	/** The page, which stays loaded while it is hidden, is in sight again. */
	readonly show: () => void;
	readonly listen: (place: PagePlace) => void;
}

/** `live`: where the page is now. */
export function createPageLink(
	live: () => PagePlace | undefined,
	log: Pick<vscode.LogOutputChannel, "warn" | "error">,
	hooks: PageHooks,
): PageLink {
	let ready = false;
	/** What the page has kept, for the one that takes its place. */
	let kept: { readonly state: unknown; readonly images: unknown } | undefined;
	const unsaid: ToWebview[] = [];
	const post = (message: ToWebview): void => {
		if (ready) void live()?.webview.postMessage(message);
	};
	const receive = async (message: FromWebview): Promise<void> => {
		if (message.type === "keep") {
			// A page that is not ready yet knows only what was here in its own place.
			if (ready || kept === undefined) kept = { state: message.state, images: message.images ?? kept?.images };
			return;
		}
		if (message.type !== "ready") return hooks.receive(message);
		ready = true;
		if (kept !== undefined) post({ type: "restore", ...kept });
		const waiting = unsaid.splice(0);
		// Immediately: later the user may be elsewhere, and the focus must not be pulled back.
		if (waiting.some(({ type }) => type === "focusInput")) post({ type: "focusInput" });
		await hooks.begin();
		for (const message of [...waiting, ...unsaid.splice(0)]) if (message.type !== "focusInput") post(message);
	};
	return {
		post,
		postLater: (message) => unsaid.push(message),
		isReady: () => ready,
		lose: () => {
			ready = false;
		},
		show: () => {
			if (!ready) return;
			post({ type: "shown" });
			hooks.shown();
		},
		listen: (place) => {
			place.webview.onDidReceiveMessage((raw: unknown) => {
				// Ignore messages from a page that was left.
				if (place !== live()) return;
				const message = FromWebview.safeParse(raw);
				if (!message.success) return log.warn("The panel's page sent an unknown message; ignored.");
				receive(message.data).catch((error: unknown) => log.error(`${message.data.type}: ${describeFailure(error)}`));
			});
		},
	};
}
