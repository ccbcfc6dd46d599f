import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type * as z from "zod";
import { type ApprovalAnswer, type ApprovalRequest, approvalAsk } from "../../agent-host/protocol/approval.ts";
import { CLIENT_NOTIFICATIONS } from "../../agent-host/protocol/catalog.ts";
import { documentSave } from "../../agent-host/protocol/document.ts";
import { type HostWarning, secretGet } from "../../agent-host/protocol/host.ts";
import type { Method, Notification, ParamsOf, ResultOf } from "../../agent-host/protocol/method.ts";
import { t } from "../../l10n/t.ts";
import type { Secret } from "../facts/keys.ts";
import { call, reasonOf } from "./call.ts";
import { serveEditorModels } from "./editor-models.ts";
import type { LaunchOptions } from "./language-client.ts";
import { createRestartPolicy, MAX_RESTARTS, WINDOW_MS } from "./restarts.ts";

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

export interface HostClientOptions extends LaunchOptions {
	readonly secret: (provider: string, origin: string) => Thenable<Secret | undefined>;
	/** Asks the user; fails when the token says that the host no longer wants to know. */
	readonly ask: (request: ApprovalRequest, withdrawn: vscode.CancellationToken) => Promise<ApprovalAnswer>;
}

export function createHostClient(options: HostClientOptions): HostClient {
	const { log } = options;
	const restarts = createRestartPolicy(Date.now);
	const stateChanged = new vscode.EventEmitter<HostState>();
	const threadEvents = new vscode.EventEmitter<ThreadEventParams>();
	const processesChanged = new vscode.EventEmitter<void>();
	let limits: readonly HostWarning[] = [];
	let state: HostState = { state: "idle" };
	let client: LanguageClient | undefined;
	let connecting: Promise<LanguageClient> | undefined;
	let starting: Promise<LanguageClient> | undefined;
	const setState = (next: HostState): void => {
		state = next;
		stateChanged.fire(next);
	};
	const mayRestart = (): string | undefined => {
		if (restarts.mayRestart()) {
			log.warn("The agent host ended unexpectedly and is started again.");
			return undefined;
		}
		const words = "The agent host ended {0} times within {1} minutes and was not started again.";
		const reason = t(words, MAX_RESTARTS, WINDOW_MS / 60_000);
		starting = undefined;
		setState({ state: "stopped", reason });
		return reason;
	};
	const changed = (next: "starting" | "ready"): void => {
		if (next === "starting") limits = [];
		setState({ state: next });
	};
	/** The client is most of the extension's code: it is read when the host first starts, and the panel is there by then. */
	const connect = async (): Promise<LanguageClient> => {
		const { createLanguageClient } = await import("./language-client.ts");
		client = createLanguageClient(options, { ended: mayRestart, changed });
		listen(client);
		return client;
	};
	const listen = (client: LanguageClient): void => {
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
	};
	const running = (): Promise<LanguageClient> => {
		connecting ??= connect();
		const connected = connecting;
		starting ??= connected
			.then(async (ready) => {
				await ready.start();
				return ready;
			})
			.catch((error: unknown) => {
				starting = undefined;
				setState({ state: "stopped", reason: t("The agent host did not start: {0}", reasonOf(error)) });
				throw error;
			});
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
			if (client?.isRunning()) void client.sendNotification(name, params);
		},
		start: async () => {
			await running();
		},
		restart: async () => {
			restarts.reset();
			starting = undefined;
			if (client?.isRunning()) await client.stop();
			await running();
		},
		dispose: () => {
			stateChanged.dispose();
			threadEvents.dispose();
			processesChanged.dispose();
			void connecting?.then((connected) => connected.dispose());
		},
	};
}
