import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { threadCompact, threadCompactUndo } from "../../agent-host/protocol/compaction.ts";
import { contextInspect } from "../../agent-host/protocol/context.ts";
import { ThreadId, TurnId } from "../../agent-host/protocol/ids.ts";
import { threadImage } from "../../agent-host/protocol/image.ts";
import { threadStart } from "../../agent-host/protocol/thread.ts";
import { turnInterrupt, turnStart, turnSteer, type UserInput } from "../../agent-host/protocol/turn.ts";
import { countOf, t } from "../../l10n/t.ts";
import { FromWebview, type PanelCommand, type PanelState, type ToWebview } from "../../media/wire.ts";
import type { Offer } from "../attach/offer.ts";
import { readFolders } from "../facts/folders.ts";
import type { UserAnswer } from "../host/approvals.ts";
import { reasonOf } from "../host/call.ts";
import type { HostClient } from "../host/host-client.ts";
import { stateOf } from "../views/inspector-state.ts";
import { createContextRelay } from "./context-relay.ts";
import { openFile } from "./open-file.ts";
import { renderPage } from "./page.ts";
import { createThreadFeed, readEvents } from "./thread-feed.ts";

export const CHAT_VIEW = "vitrine.chat";
const THREAD_KEY = "vitrine.thread";

/** What the page may ask for about one turn. */
export type TurnAction = Extract<
	FromWebview,
	{ readonly type: "showTold" | "rollBack" | "fork" | "restore" | "undoFiles" }
>["type"];

/** The chat view: relays between its page, which is untrusted, and the host, which owns the thread. */
export interface ChatPanel extends vscode.Disposable {
	/** Shows a thread, or an empty one, and brings the view to the front. */
	readonly showThread: (threadId: ThreadId | undefined) => Promise<void>;
	readonly threadId: () => ThreadId | undefined;
	/** The thread shown; begins one when there is none yet. */
	readonly ensureThread: () => Promise<ThreadId>;
	readonly onDidChangeThread: vscode.Event<ThreadId | undefined>;
	readonly isVisible: () => boolean;
	/** Says on the view's icon how many questions wait. */
	readonly showWaiting: (count: number) => void;
	readonly focusInput: () => Promise<void>;
	/** Puts a text and what was chosen in the editor into the composer, and sends it where that is meant. */
	readonly compose: (text: string, offers: readonly Offer[], how: "send" | "write") => Promise<void>;
	readonly stop: () => Promise<void>;
	/** Tells the page anew what is not in the thread: trust, folders, model, host. */
	readonly refresh: () => void;
}

export function createChatPanel(options: {
	readonly context: vscode.ExtensionContext;
	readonly host: HostClient;
	readonly log: vscode.LogOutputChannel;
	readonly panelState: () => Promise<PanelState>;
	readonly runCommand: (command: PanelCommand) => void;
	/** Gives the reason when the answer does not count. */
	readonly answerApproval: (answer: UserAnswer) => Promise<string | undefined>;
	readonly actOnTurn: (action: TurnAction, threadId: ThreadId, turnId: TurnId) => Promise<void>;
}): ChatPanel {
	const { context, host, log } = options;
	let view: vscode.WebviewView | undefined;
	let ready = false;
	let focusWhenReady = false;
	const composeWhenReady: ToWebview[] = [];
	let hostHasRun = false;
	let waiting = 0;
	let threadId = ThreadId.safeParse(context.workspaceState.get(THREAD_KEY)).data;
	const threadChanged = new vscode.EventEmitter<ThreadId | undefined>();

	const post = (message: ToWebview): void => {
		if (ready) void view?.webview.postMessage(message);
	};
	const feed = createThreadFeed(host, post);
	const relay = createContextRelay({ host, post, threadId: () => threadId });
	const select = (next: ThreadId | undefined): void => {
		threadId = next;
		void context.workspaceState.update(THREAD_KEY, next);
		threadChanged.fire(next);
	};
	const showPanel = async (): Promise<void> => post({ type: "panel", panel: await options.panelState() });
	const showSelected = async (): Promise<void> => {
		try {
			await feed.show(threadId);
		} catch (error) {
			log.error(`The thread could not be shown: ${reasonOf(error)}`);
			post({ type: "problem", message: t("The thread could not be shown: {0}", reasonOf(error)), action: "showLog" });
			// A thread that was deleted elsewhere must not lock the panel: the next prompt starts a new one.
			if (reasonOf(error).startsWith("There is no thread")) {
				select(undefined);
				await feed.show(undefined);
			}
		}
	};
	const ensureThread = async (): Promise<ThreadId> => {
		if (threadId !== undefined) return threadId;
		const cwd = readFolders().first;
		const begun = await host.request(threadStart, cwd === undefined ? {} : { cwd });
		select(begun.threadId);
		await feed.show(begun.threadId);
		return begun.threadId;
	};
	const send = async ({ text, images, attached }: Prompt, clientId?: string): Promise<void> => {
		const pictures = images.map((data) => ({ kind: "image" as const, data }));
		// Read before a thread begins: what can no longer be read must not leave an empty one.
		const input: UserInput[] = [{ kind: "text", text }, ...pictures, ...(await relay.read(attached))];
		const target = await ensureThread();
		const trusted = vscode.workspace.isTrusted;
		await host.request(turnStart, {
			threadId: target,
			input,
			trusted,
			...(clientId === undefined ? {} : { clientId }),
		});
	};
	const steer = async (turnId: string, text: string, clientId: string): Promise<void> => {
		const steered = { turnId: TurnId.parse(turnId), input: [{ kind: "text" as const, text }], clientId };
		await host.request(turnSteer, { threadId: await ensureThread(), ...steered });
	};
	/** Tells the page whether its message was taken. */
	const answer = async (id: string, work: () => Promise<void>): Promise<void> => {
		try {
			await work();
			post({ type: "submitted", id });
		} catch (error) {
			post({ type: "submitted", id, problem: reasonOf(error) });
		}
	};
	/** Says in the page why something did not work: what it throws, or the sentence it gives. */
	const tryTo = async (work: () => Promise<unknown>): Promise<void> => {
		const problem = await work().catch(reasonOf);
		if (typeof problem === "string") post({ type: "problem", message: problem });
	};
	const receive = async (message: FromWebview): Promise<void> => {
		switch (message.type) {
			case "ready":
				ready = true;
				// Started while the user reads and types, so that the first prompt does not wait for it.
				void host.start().catch(() => undefined);
				await showPanel();
				await showSelected();
				relay.showEditor();
				if (focusWhenReady) post({ type: "focusInput" });
				focusWhenReady = false;
				for (const message of composeWhenReady.splice(0)) post(message);
				return;
			case "submit":
				return answer(message.id, async () => {
					if (message.stop) await stop();
					const { text, images = [], attached = [] } = message;
					await send({ text, images, attached }, message.id);
				});
			case "steer":
				return answer(message.id, () => steer(message.turnId, message.text, message.id));
			case "findMentions":
				return relay.find(message);
			case "readImage":
				return post({ type: "image", imageId: message.imageId, url: await imageUrl(host, threadId, message.imageId) });
			case "stop":
				return stop();
			case "retry":
				return tryTo(async () => threadId && send(await promptOf(host, threadId, message.turnId)));
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
					const shown = threadId;
					if (shown === undefined) return;
					const result = await host.request(contextInspect, { threadId: shown });
					if (shown === threadId) post({ type: "context", context: stateOf(result, 0) });
				});
			case "copy":
				return vscode.env.clipboard.writeText(message.text);
			case "showTold":
			case "rollBack":
			case "restore":
			case "undoFiles":
			case "fork":
				return tryTo(async () => threadId && options.actOnTurn(message.type, threadId, TurnId.parse(message.turnId)));
			case "compact":
				return tryTo(async () => threadId && host.request(threadCompact, { threadId, ...focusOf(message) }));
			case "undoCompaction":
				return tryTo(async () => threadId && host.request(threadCompactUndo, { threadId }));
			case "answerApproval":
				return tryTo(() => options.answerApproval(message));
		}
	};
	const stop = async (): Promise<void> => {
		if (threadId !== undefined && host.state().state === "ready") await host.request(turnInterrupt, { threadId });
	};
	const showBadge = (): void => {
		const tooltip = countOf(waiting, "{0} question waits for you", "{0} questions wait for you");
		if (view) view.badge = waiting === 0 ? undefined : { value: waiting, tooltip };
	};
	const reveal = (): Thenable<void> => vscode.commands.executeCommand(`${CHAT_VIEW}.focus`);
	const provider: vscode.WebviewViewProvider = {
		resolveWebviewView(resolved) {
			view = resolved;
			ready = false;
			const media = vscode.Uri.joinPath(context.extensionUri, "media", "dist");
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
	const disposables = [
		threadChanged,
		relay,
		vscode.window.registerWebviewViewProvider(CHAT_VIEW, provider),
		host.onThreadEvent((event) => feed.receive(event)),
		host.onDidChangeState(({ state }) => {
			void showPanel();
			if (state !== "ready") return;
			// A host that was started again knows how the turn that its predecessor ran has ended.
			if (hostHasRun && ready) void showSelected();
			hostHasRun = true;
		}),
	];
	return {
		threadId: () => threadId,
		ensureThread,
		onDidChangeThread: threadChanged.event,
		isVisible: () => view?.visible ?? false,
		showWaiting: (count) => {
			waiting = count;
			showBadge();
		},
		showThread: async (next) => {
			select(next);
			await reveal();
			if (ready) await showSelected();
		},
		focusInput: async () => {
			focusWhenReady = !ready;
			await reveal();
			post({ type: "focusInput" });
		},
		compose: async (text, offers, how) => {
			const message = relay.compose(text, offers, how);
			const isHere = ready;
			if (!isHere) composeWhenReady.push(message);
			await reveal();
			if (isHere) post(message);
		},
		stop,
		refresh: () => {
			void showPanel();
			relay.showEditor();
		},
		dispose: () => vscode.Disposable.from(...disposables).dispose(),
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

function focusOf({ focus }: { readonly focus?: string | undefined }): { readonly focus?: string } {
	return focus === undefined ? {} : { focus };
}

/** What the user sends: words, and images as base64. */
interface Prompt {
	readonly text: string;
	readonly images: readonly string[];
	/** What was offered to go along, by its keys. */
	readonly attached: readonly string[];
}

async function promptOf(host: HostClient, threadId: ThreadId, turnId: string): Promise<Prompt> {
	for (const { event } of await readEvents(host, threadId)) {
		if (event.type !== "itemCompleted" || event.turnId !== turnId) continue;
		if (event.item.kind !== "userMessage" || event.item.messageKind !== "plain") continue;
		const { text, images = [] } = event.item;
		const read = images.map(({ id }) => host.request(threadImage, { threadId, imageId: id }));
		return { text, images: (await Promise.all(read)).map(({ data }) => data), attached: [] };
	}
	throw new Error(t("That turn is no longer there. Type the prompt again."));
}

/** As the page may load it: the host has looked at the bytes. Empty when there is no such image. */
async function imageUrl(host: HostClient, threadId: ThreadId | undefined, imageId: string): Promise<string> {
	if (threadId === undefined) return "";
	return host.request(threadImage, { threadId, imageId }).then(
		({ mediaType, data }) => `data:${mediaType};base64,${data}`,
		() => "",
	);
}

async function openLink(url: string): Promise<void> {
	if (!URL.canParse(url)) return;
	const { protocol, href } = new URL(url);
	if (protocol !== "https:" && protocol !== "http:") return;
	// In its plain form, a foreign alphabet spelled out: the editor shows it and asks before it leaves.
	await vscode.env.openExternal(vscode.Uri.parse(href, true));
}
