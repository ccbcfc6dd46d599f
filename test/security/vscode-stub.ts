import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as esbuild from "esbuild";
import type { ChatPanel, createChatPanel } from "../../extension/panel/chat-panel.ts";
import type { ToWebview } from "../../media/wire.ts";

/** The chat panel of the extension over an editor of paper, and everything it did there. */
export interface PaperPanel extends Disposable {
	/** Delivers what a page posted, and waits until it has been dealt with. */
	readonly post: (message: unknown) => Promise<void>;
	/** One line for each thing the panel asked of the editor, the host or its commands. */
	readonly effects: string[];
	/** What the host answers, by the method; without an answer there is no host. */
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
	readonly moveTo: ChatPanel["moveTo"];
}

type Composed = Extract<ToWebview, { readonly type: "compose" }>;

const ROOT = join(import.meta.dirname, "../..");
const STUB = "vitrineEditorOfPaper";

/** Bundles the panel, since only an editor can load the module `vscode`. `workspace`: the folder that is open in the editor. */
export async function openPaperPanel(workspace: string): Promise<PaperPanel> {
	const folder = mkdtempSync(join(tmpdir(), "vitrine-panel-"));
	const outfile = join(folder, "panel.mjs");
	await esbuild.build({
		absWorkingDir: ROOT,
		entryPoints: ["extension/panel/chat-panel.ts"],
		outfile,
		bundle: true,
		platform: "node",
		format: "esm",
		logLevel: "error",
		banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
		plugins: [
			{
				name: "paper",
				setup({ onResolve, onLoad }) {
					onResolve({ filter: /^vscode(?:-languageclient\/node)?$/ }, ({ path }) => ({ path, namespace: "paper" }));
					onLoad({ filter: /^vscode$/, namespace: "paper" }, () => ({
						contents: `module.exports = globalThis.${STUB};`,
					}));
					// Of the language client the panel knows only what a failed request looks like.
					const client = "exports.ResponseError = class extends Error {};";
					onLoad({ filter: /languageclient/, namespace: "paper" }, () => ({ contents: client }));
				},
			},
		],
	});
	const effects: string[] = [];
	const view = anEditor(effects, workspace);
	const panel: { readonly createChatPanel: typeof createChatPanel } = await import(pathToFileURL(outfile).href);
	const created = panel.createChatPanel(view.options);
	return {
		post: async (message) => {
			view.receive(message);
			await new Promise((resolve) => setImmediate(resolve));
		},
		effects,
		answers: view.answers,
		requests: view.requests,
		attached: view.attached,
		problems: view.problems,
		options: () => view.webview.options,
		html: () => view.webview.html,
		moveTo: created.moveTo,
		[Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
	};
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
		let closed: () => void = () => undefined;
		return {
			webview: { ...webview, options: {}, onDidReceiveMessage: onNothing },
			visible: true,
			onDidChangeViewState: onNothing,
			onDidDispose: (listener: () => void) => {
				closed = listener;
			},
			reveal: () => undefined,
			dispose: () => closed(),
		};
	};
	const parse = (text: string) => ({
		scheme: /^([\w.+-]+):/.exec(text)?.[1]?.toLowerCase() ?? "file",
		toString: () => text,
	});
	Object.assign(globalThis, {
		[STUB]: {
			EventEmitter: class {
				readonly event = onNothing;
			},
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
				registerWebviewPanelSerializer: onNothing,
				createWebviewPanel: aTab,
			},
			ViewColumn: { Active: -1 },
		},
	});
	// The panel uses a handful of these objects' members, all of which are here.
	const options = {
		context: { extensionUri: "extension", workspaceState: memory, globalState: memory },
		host: {
			state: () => ({ state: "ready" }),
			start: () => Promise.resolve(),
			onThreadEvent: onNothing,
			onDidChangeState: onNothing,
			request: ({ name }: { readonly name: string }, params: unknown) => {
				void note(`request ${name}`);
				requests.push({ name, params });
				if (answers.has(name)) return Promise.resolve(answers.get(name));
				return Promise.reject(new Error("no host here"));
			},
		},
		log: { warn: () => undefined, error: () => undefined },
		panelState: () => Promise.resolve({}),
		runCommand: (command: unknown) => void note(`run ${command}`),
	} as unknown as Parameters<typeof createChatPanel>[0];
	return { options, webview, answers, requests, attached, problems, receive: (raw: unknown) => receive(raw) };
}
