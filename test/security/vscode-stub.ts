import type { ThreadEventParams } from "../../extension/host/host-client.ts";
import type { createChatMaker } from "../../extension/panel/chat-maker.ts";
import type { Chats, createChats } from "../../extension/panel/chats.ts";
import type { ToWebview } from "../../media/wire.ts";
import { loadOverPaper, PaperEmitter } from "../support/load-over-paper.ts";

/** A page in a tab: what it was told, and what it posts. */
export interface PaperTab {
	readonly isOpen: () => boolean;
	readonly told: readonly ToWebview[];
	readonly post: (message: unknown) => Promise<void>;
	readonly close: () => void;
}

/** The chat panel of the extension over an editor of paper, and everything it did there. */
export interface PaperPanel {
	/** Delivers what a page posted, and waits until it has been dealt with. */
	readonly post: (message: unknown) => Promise<void>;
	/** One line for each thing the panel asked of the editor, the host or its commands. */
	readonly effects: string[];
	/** What the host answers, by the method, or a function of the parameters; without an answer there is no host. */
	readonly answers: Map<string, unknown>;
	/** What the host was asked for, with the parameters. */
	readonly requests: readonly { readonly name: string; readonly params: unknown }[];
	/** Keys of all that was attached to the composer. */
	readonly attached: readonly string[];
	/** What the page was told that could not be done. */
	readonly problems: readonly string[];
	/** Of the view's webview. */
	readonly options: () => Record<string, unknown>;
	readonly html: () => string;
	readonly chats: Chats;
	/** All that the page of the view was told. */
	readonly told: readonly ToWebview[];
	/** Tabs in the order in which they were opened. */
	readonly tabs: readonly PaperTab[];
	/** Brings a tab of this type back, as the editor does after a reload, with what its page had saved. */
	readonly restore: (type: string, saved: unknown) => Promise<PaperTab>;
	/** Something happened in a thread. */
	readonly tell: (event: ThreadEventParams) => void;
}

type Composed = Extract<ToWebview, { readonly type: "compose" }>;

/** `workspace`: the folder that is open in the editor. */
export async function openPaperPanel(workspace: string): Promise<PaperPanel> {
	const effects: string[] = [];
	const view = anEditor(effects, workspace);
	const panel = await loadOverPaper<{
		readonly createChats: typeof createChats;
		readonly createChatMaker: typeof createChatMaker;
	}>(["extension/panel/chats.ts", "extension/panel/chat-maker.ts"], view.vscode);
	const chats = panel.createChats(panel.createChatMaker(view.context, view.parts));
	return {
		post: async (message) => {
			view.receive(message);
			await settle();
		},
		effects,
		answers: view.answers,
		requests: view.requests,
		attached: view.attached,
		problems: view.problems,
		options: () => view.webview.options,
		html: () => view.webview.html,
		chats,
		told: view.told,
		tabs: view.tabs,
		restore: view.restore,
		tell: view.tell,
	};
}

/** Lets everything go on that waits for no one. */
function settle(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}

function anEditor(effects: string[], folder: string) {
	const note = (line: string): Promise<void> => {
		effects.push(line);
		return Promise.resolve();
	};
	const answers = new Map<string, unknown>();
	const memory = { get: () => undefined, update: () => Promise.resolve() };
	const onNothing = () => ({ dispose: () => undefined });
	const problems: string[] = [];
	const attached: string[] = [];
	const requests: { readonly name: string; readonly params: unknown }[] = [];
	const told: ToWebview[] = [];
	const tabs: PaperTab[] = [];
	const threadEvents = new PaperEmitter();
	const showTextDocument = async (document: unknown) => {
		await note(`show ${document}`);
		return { document: { lineCount: 1, isUntitled: true }, selection: { isEmpty: true }, edit: () => note("edit") };
	};
	const webview = {
		options: {} as Record<string, unknown>,
		html: "",
		cspSource: "https://own.invalid",
		asWebviewUri: (uri: unknown) => uri,
		postMessage: (
			message: Partial<Record<"type" | "text" | "message", string>> & Partial<Pick<Composed, "attach">>,
		) => {
			told.push(message as ToWebview);
			if (message.type === "compose") void note(`compose ${message.text}`);
			attached.push(...(message.attach ?? []).map(({ key }) => key));
			if (message.type === "problem") problems.push(message.message ?? "");
			return Promise.resolve(true);
		},
		onDidReceiveMessage: (listener: (raw: unknown) => void) => {
			receive = listener;
			return { dispose: () => undefined };
		},
	};
	let receive: (raw: unknown) => void = () => undefined;
	const aTab = () => {
		const [closed, posted] = [new PaperEmitter(), new PaperEmitter()];
		const toTab: ToWebview[] = [];
		let isOpen = true;
		const close = (): void => {
			if (!isOpen) return;
			isOpen = false;
			closed.fire(undefined);
		};
		tabs.push({
			isOpen: () => isOpen,
			told: toTab,
			post: async (message) => {
				posted.fire(message);
				await settle();
			},
			close,
		});
		const postMessage = async (message: ToWebview) => toTab.push(message) > 0;
		return {
			webview: { ...webview, options: {}, postMessage, onDidReceiveMessage: posted.event },
			visible: true,
			onDidChangeViewState: onNothing,
			onDidDispose: closed.event,
			reveal: () => undefined,
			dispose: close,
		};
	};
	const serializers = new Map<string, { deserializeWebviewPanel: (tab: unknown, saved: unknown) => Promise<void> }>();
	const restore = async (type: string, saved: unknown): Promise<PaperTab> => {
		const tab = aTab();
		await serializers.get(type)?.deserializeWebviewPanel(tab, saved);
		return tabs.at(-1) as PaperTab;
	};
	const parse = (text: string) => ({
		scheme: /^([\w.+-]+):/.exec(text)?.[1]?.toLowerCase() ?? "file",
		toString: () => text,
	});
	const vscode = {
		EventEmitter: PaperEmitter,
		Disposable: { from: onNothing },
		Position: class {},
		Range: class {},
		Uri: { parse, file: (path: string) => path, joinPath: (...parts: readonly unknown[]) => parts.join("/") },
		l10n: { bundle: undefined },
		env: {
			language: "en",
			openExternal: (uri: unknown) => note(`open ${uri}`),
			clipboard: { writeText: (text: unknown) => note(`copy ${text}`) },
		},
		commands: { executeCommand: (command: string) => note(`command ${command}`) },
		workspace: {
			isTrusted: false,
			workspaceFolders: [{ uri: { scheme: "file", fsPath: folder } }],
			openTextDocument: (uri: unknown) => Promise.resolve(uri),
			asRelativePath: (uri: unknown) => String(uri),
		},
		languages: { onDidChangeDiagnostics: onNothing },
		window: {
			showTextDocument,
			onDidChangeActiveTextEditor: onNothing,
			onDidChangeTextEditorSelection: onNothing,
			tabGroups: { all: [], onDidChangeTabs: onNothing },
			registerWebviewViewProvider: (_: string, provider: { resolveWebviewView: (view: unknown) => void }) => {
				provider.resolveWebviewView({
					webview,
					onDidDispose: onNothing,
					onDidChangeVisibility: onNothing,
					visible: true,
				});
				return { dispose: () => undefined };
			},
			registerWebviewPanelSerializer: (type: string, serializer: never) => {
				serializers.set(type, serializer);
				return { dispose: () => undefined };
			},
			createWebviewPanel: aTab,
		},
		ViewColumn: { Active: -1 },
	};
	// The panel uses a handful of these objects' members, all of which are here.
	const context = {
		...{ extensionUri: "extension", workspaceState: memory, globalState: memory },
	} as unknown as Parameters<typeof createChatMaker>[0];
	const parts = {
		host: {
			state: () => ({ state: "ready" }),
			start: () => Promise.resolve(),
			onThreadEvent: threadEvents.event,
			onDidChangeState: onNothing,
			request: ({ name }: { readonly name: string }, params: unknown) => {
				void note(`request ${name}`);
				requests.push({ name, params });
				const answer = answers.get(name);
				if (answers.has(name)) return Promise.resolve(typeof answer === "function" ? answer(params) : answer);
				return Promise.reject(new Error("no host here"));
			},
		},
		log: { warn: () => undefined, error: () => undefined },
		panelState: () => Promise.resolve({}),
		agentsWaiting: () => ({ approvals: [], questions: [] }),
		runCommand: (command: unknown) => void note(`run ${command}`),
	} as unknown as Parameters<typeof createChatMaker>[1];
	const tell = (event: ThreadEventParams): void => threadEvents.fire(event);
	const done = { webview, answers, requests, attached, problems, told, tabs, restore, tell };
	return { ...done, vscode, context, parts, receive: (raw: unknown) => receive(raw) };
}
