import { randomUUID } from "node:crypto";
import { join } from "node:path";
import * as vscode from "vscode";
import { CloseAction, ErrorAction, LanguageClient, State, TransportKind } from "vscode-languageclient/node";
import type * as z from "zod";
import { type ApprovalAnswer, type ApprovalRequest, approvalAsk } from "../../agent-host/protocol/approval.ts";
import { CLIENT_NOTIFICATIONS } from "../../agent-host/protocol/catalog.ts";
import { documentSave } from "../../agent-host/protocol/document.ts";
import { type HostWarning, secretGet } from "../../agent-host/protocol/host.ts";
import type { HostOptions } from "../../agent-host/protocol/host-options.ts";
import type { Method, Notification, ParamsOf, ResultOf } from "../../agent-host/protocol/method.ts";
import { t } from "../../l10n/t.ts";
import type { Secret } from "../facts/keys.ts";
import type { Environment } from "../facts/proxy.ts";
import { call, reasonOf } from "./call.ts";
import { serveEditorModels } from "./editor-models.ts";
import { createRestartPolicy, MAX_RESTARTS, WINDOW_MS } from "./restarts.ts";

const HEAP_LIMIT_MB = 512;
/** Told once: about something that is over, and no limit of what can be done. */
const PASSING_WARNINGS: ReadonlySet<string> = new Set(["patch"]);

export type HostState =
	| { readonly state: "idle" | "starting" | "ready" }
	| { readonly state: "stopped"; readonly reason: string };

/** The agent host as the rest of the extension sees it. It starts with the first request. */
export interface HostClient extends vscode.Disposable {
	readonly state: () => HostState;
	readonly onDidChangeState: vscode.Event<HostState>;
	/** Sends a request, starting the host when it does not run. */
	readonly request: <M extends Method>(method: M, params: ParamsOf<M>) => Promise<ResultOf<M>>;
	/** Sends a notification when the host runs; a host that starts later gets the same facts with `initialize`. */
	readonly notify: <N extends Notification>(notification: N, params: ParamsOf<N>) => void;
	readonly onThreadEvent: vscode.Event<ThreadEventParams>;
	readonly onProcessesChanged: vscode.Event<void>;
	/** What limits the running host, such as a missing sandbox; a new one fires `onDidChangeState`. */
	readonly limits: () => readonly HostWarning[];
	readonly start: () => Promise<void>;
	readonly restart: () => Promise<void>;
}

export type ThreadEventParams = z.output<(typeof CLIENT_NOTIFICATIONS.threadEvent)["params"]>;

export function createHostClient(options: {
	readonly extensionPath: string;
	/** A folder that only the user and the host can write. */
	readonly compileCache: string;
	readonly log: vscode.LogOutputChannel;
	/** Read anew at every start, so that a restarted host gets today's trust and settings. */
	readonly hostOptions: () => HostOptions;
	/** Of the process, likewise; undefined takes a name out. */
	readonly environment: () => Environment;
	readonly secret: (provider: string, origin: string) => Thenable<Secret | undefined>;
	/** Asks the user; fails when the token says that the host no longer wants to know. */
	readonly ask: (request: ApprovalRequest, withdrawn: vscode.CancellationToken) => Promise<ApprovalAnswer>;
}): HostClient {
	const { log } = options;
	const restarts = createRestartPolicy(Date.now);
	const stateChanged = new vscode.EventEmitter<HostState>();
	const threadEvents = new vscode.EventEmitter<ThreadEventParams>();
	const processesChanged = new vscode.EventEmitter<void>();
	let limits: readonly HostWarning[] = [];
	let state: HostState = { state: "idle" };
	let starting: Promise<LanguageClient> | undefined;
	const setState = (next: HostState): void => {
		state = next;
		stateChanged.fire(next);
	};
	const client = createLanguageClient(options, () => {
		if (restarts.mayRestart()) {
			log.warn("The agent host ended unexpectedly and is started again.");
			return undefined;
		}
		const words = "The agent host ended {0} times within {1} minutes and was not started again.";
		const reason = t(words, MAX_RESTARTS, WINDOW_MS / 60_000);
		starting = undefined;
		setState({ state: "stopped", reason });
		return reason;
	});
	client.onDidChangeState(({ newState }) => {
		if (newState === State.Running) setState({ state: "ready" });
		else if (newState === State.Starting) {
			limits = [];
			setState({ state: "starting" });
		}
	});
	client.onNotification(CLIENT_NOTIFICATIONS.threadEvent.name, (raw: unknown) => {
		const parsed = CLIENT_NOTIFICATIONS.threadEvent.params.safeParse(raw);
		if (parsed.success) threadEvents.fire(parsed.data);
		else log.error(`The agent host sent an event that cannot be read: ${parsed.error.message}`);
	});
	client.onNotification(CLIENT_NOTIFICATIONS.hostWarning.name, (raw: unknown) => {
		const warning = CLIENT_NOTIFICATIONS.hostWarning.params.parse(raw);
		void vscode.window.showWarningMessage(t("Vitrine: {0}", `${warning.message} ${warning.fix}`));
		if (PASSING_WARNINGS.has(warning.code)) return;
		limits = [...limits, warning];
		stateChanged.fire(state);
	});
	client.onNotification(CLIENT_NOTIFICATIONS.processesChanged.name, () => processesChanged.fire());
	client.onRequest(secretGet.name, async (raw: unknown): Promise<ResultOf<typeof secretGet>> => {
		const { provider, origin } = secretGet.params.parse(raw);
		return (await options.secret(provider, origin)) ?? {};
	});
	serveEditorModels(client);
	client.onRequest(documentSave.name, async (raw: unknown): Promise<ResultOf<typeof documentSave>> => {
		const { uri } = documentSave.params.parse(raw);
		const document = vscode.workspace.textDocuments.find(
			(open) => client.code2ProtocolConverter.asUri(open.uri) === uri,
		);
		return { saved: document !== undefined && (await document.save()) };
	});
	client.onRequest(approvalAsk.name, (raw: unknown, withdrawn: vscode.CancellationToken) =>
		options.ask(approvalAsk.params.parse(raw), withdrawn),
	);
	const running = (): Promise<LanguageClient> => {
		starting ??= client.start().then(
			() => client,
			(error: unknown) => {
				starting = undefined;
				setState({ state: "stopped", reason: t("The agent host did not start: {0}", reasonOf(error)) });
				throw error;
			},
		);
		return starting;
	};
	return {
		state: () => state,
		onDidChangeState: stateChanged.event,
		onThreadEvent: threadEvents.event,
		onProcessesChanged: processesChanged.event,
		limits: () => limits,
		request: async (method, params) => call(await running(), method, params),
		notify: ({ name }, params) => {
			if (client.isRunning()) void client.sendNotification(name, params);
		},
		start: async () => {
			await running();
		},
		restart: async () => {
			restarts.reset();
			starting = undefined;
			if (client.isRunning()) await client.stop();
			await running();
		},
		dispose: () => {
			stateChanged.dispose();
			threadEvents.dispose();
			processesChanged.dispose();
			void client.dispose();
		},
	};
}

function createLanguageClient(
	options: Parameters<typeof createHostClient>[0],
	/** Why the host stays down, or undefined when it is to be started again. */
	onEnded: () => string | undefined,
): LanguageClient {
	const folder = join(options.extensionPath, "dist");
	// The client prints whole messages when a setting `<id>.trace.server` says so, and a workspace can hold any
	// setting. No setting can name an id that is made up at each start.
	const id = `vitrine-${randomUUID()}`;
	const client = new LanguageClient(
		id,
		"Vitrine Agent Host",
		{
			module: join(folder, "agent-host.mjs"),
			transport: TransportKind.ipc,
			// Not the workspace folder, which is what the client would choose.
			options: {
				cwd: folder,
				execArgv: [`--max-old-space-size=${HEAP_LIMIT_MB}`],
				get env() {
					return options.environment();
				},
			},
			args: ["--compile-cache", options.compileCache],
		},
		{
			documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
			initializationOptions: options.hostOptions,
			outputChannel: options.log,
			errorHandler: {
				error: () => ({ action: ErrorAction.Continue, handled: true }),
				closed: () => {
					const reason = onEnded();
					if (reason === undefined) return { action: CloseAction.Restart, handled: true };
					return { action: CloseAction.DoNotRestart, message: reason, handled: true };
				},
			},
		},
	);
	return client;
}
