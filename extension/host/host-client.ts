import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type * as z from "zod";
import { CLIENT_NOTIFICATIONS } from "../../agent-host/protocol/catalog.ts";
import type { LastProbe } from "../../agent-host/protocol/host/health.ts";
import { BUNDLED, type HostStatus, type HostWarning } from "../../agent-host/protocol/host/host.ts";
import type { Method, Notification, ParamsOf, ResultOf } from "../../agent-host/protocol/method.ts";
import { SandboxProblemCode } from "../../agent-host/protocol/settings/policy-settings.ts";
import { sayWarning } from "../../l10n/host-words.ts";
import { t } from "../../l10n/t.ts";
import { showWarning } from "../facts/show-message.ts";
import { type Answers, answerHost } from "./answers.ts";
import { call, describeFailure, type Waiting } from "./call.ts";
import type { ClientListeners } from "./client-handlers.ts";
import type { LaunchOptions } from "./language-client.ts";
import { createRestartPolicy, MAX_RESTARTS, WINDOW_MS } from "./restarts.ts";
import type { Trace } from "./trace.ts";

/** Warnings about one event, which do not limit what the host can do from then on. */
const PASSING_WARNINGS: ReadonlySet<string> = new Set(["patch"]);

export type HostState =
	| { readonly state: "idle" | "starting" | "ready" }
	| { readonly state: "stopped"; readonly reason: string };

/** The agent host, as seen by the rest of the extension. It starts with the first request. */
export interface HostClient extends vscode.Disposable {
	readonly state: () => HostState;
	readonly onDidChangeState: vscode.Event<HostState>;
	/** Sends a request, and starts the host if it is not running. */
	readonly request: <M extends Method>(method: M, params: ParamsOf<M>, waiting?: Waiting) => Promise<ResultOf<M>>;
	/** Sends a notification if the host runs or starts; one that starts later gets the same facts with `initialize`. */
	readonly notify: <N extends Notification>(notification: N, params: ParamsOf<N>) => void;
	readonly onThreadEvent: vscode.Event<ThreadEventParams>;
	readonly onProcessesChanged: vscode.Event<void>;
	/** State or tools of MCP servers changed. */
	readonly onServersChanged: vscode.Event<void>;
	/** Warnings that apply to the running host, such as a missing sandbox; changes fire `onDidChangeState`. */
	readonly warnings: () => readonly HostWarning[];
	/** The last policy probe of the running host. */
	readonly probe: () => LastProbe | undefined;
	readonly start: () => Promise<void>;
	readonly restart: () => Promise<void>;
}

export type ThreadEventParams = z.output<(typeof CLIENT_NOTIFICATIONS.threadEvent)["params"]>;

export interface HostClientOptions extends LaunchOptions, Answers {
	readonly trace: Trace["write"];
}

export function createHostClient(options: HostClientOptions): HostClient {
	const { log, trace } = options;
	const restarts = createRestartPolicy(Date.now);
	const stateChanged = new vscode.EventEmitter<HostState>();
	const threadEvents = new vscode.EventEmitter<ThreadEventParams>();
	const processesChanged = new vscode.EventEmitter<void>();
	const serversChanged = new vscode.EventEmitter<void>();
	let limits: readonly HostWarning[] = [];
	let probe: LastProbe | undefined;
	let state: HostState = { state: "idle" };
	let client: LanguageClient | undefined;
	let connecting: Promise<LanguageClient> | undefined;
	let starting: Promise<LanguageClient> | undefined;
	/** The end of the host before, which the language client must have seen before it can start another. */
	let stopping: Promise<unknown> = Promise.resolve();
	const setState = (next: HostState): void => {
		state = next;
		stateChanged.fire(next);
	};
	const onHostExit = (): string | undefined => {
		if (restarts.mayRestart()) {
			log.warn("The agent host ended unexpectedly and is started again.");
			return undefined;
		}
		const words = "The agent host stopped {0} times within {1} minutes and was not restarted.";
		const reason = t(words, MAX_RESTARTS, WINDOW_MS / 60_000);
		starting = undefined;
		setState({ state: "stopped", reason });
		return reason;
	};
	const changed = (next: "starting" | "ready"): void => {
		if (next === "starting") {
			limits = [];
			probe = undefined;
		}
		setState({ state: next });
	};
	/**
	 * The language client is most of the extension's code, so it is loaded when the host first starts, after the panel is
	 * visible.
	 */
	const connect = async (): Promise<LanguageClient> => {
		const { createLanguageClient } = await import("./language-client.ts");
		client = createLanguageClient(options, { onExit: onHostExit, onStateChange: changed });
		listen(client);
		return client;
	};
	const listeners: ClientListeners = {
		threadEvent: (published) => threadEvents.fire(published),
		hostWarning: (warning) => {
			void showWarning(t("Vitrine: {0}", sayWarning(warning)));
			if (PASSING_WARNINGS.has(warning.code)) return;
			limits = [...limits.filter(({ code }) => code !== warning.code), warning];
			stateChanged.fire(state);
		},
		hostStatusChanged: (status) => {
			const [triedAt, count] = [probe?.at, limits.length];
			probe = status.probe;
			limits = limits.filter((limit) => !isOver(limit, status));
			if (probe?.at === triedAt && limits.length === count) return;
			stateChanged.fire(state);
		},
		processesChanged: () => processesChanged.fire(),
		serversChanged: () => serversChanged.fire(),
	};
	const listen = (client: LanguageClient): void => {
		for (const key of Object.keys(CLIENT_NOTIFICATIONS) as (keyof ClientListeners)[]) {
			const { name, params } = CLIENT_NOTIFICATIONS[key];
			client.onNotification(name, (raw: unknown) => {
				trace("←", name, raw);
				const parsed = params.safeParse(raw);
				// The key comes from the table that types the listeners.
				if (parsed.success) listeners[key](parsed.data as never);
				else log.error(`The agent host sent a ${name} that cannot be read: ${parsed.error.message}`);
			});
		}
		answerHost(client, options);
	};
	/** Requests that come meanwhile wait for the same start. */
	const startAfter = (over: Promise<unknown>): Promise<LanguageClient> => {
		connecting ??= connect();
		const connected = connecting;
		starting = over
			.then(async () => {
				const ready = await connected;
				await ready.start();
				return ready;
			})
			.catch((error: unknown) => {
				starting = undefined;
				setState({ state: "stopped", reason: t("The agent host couldn't start: {0}", describeFailure(error)) });
				throw error;
			});
		return starting;
	};
	const running = (): Promise<LanguageClient> => starting ?? startAfter(stopping);
	return {
		state: () => state,
		onDidChangeState: stateChanged.event,
		onThreadEvent: threadEvents.event,
		onProcessesChanged: processesChanged.event,
		onServersChanged: serversChanged.event,
		warnings: () => limits,
		probe: () => probe,
		request: async (method, params, { token, onPercent } = {}) => {
			trace("→", method.name, params);
			const connected = await running();
			const progress = onPercent && (await followProgress(connected, onPercent));
			try {
				const result = await call(connected, method, params, { token, workDoneToken: progress?.workDoneToken });
				trace("←", method.name, result);
				return result;
			} finally {
				progress?.dispose();
			}
		},
		notify: ({ name }, params) => {
			trace("→", name, params);
			// One that starts may have been given its options before this changed; the client sends it once it is ready.
			if (client === undefined || (state.state !== "starting" && !client.isRunning())) return;
			client.sendNotification(name, params).catch((error: unknown) => {
				log.warn(`The agent host was not told of ${name}: ${describeFailure(error)}`);
			});
		},
		start: async () => {
			await running();
		},
		restart: async () => {
			restarts.reset();
			if (client?.isRunning()) {
				stopping = client.stop().catch((error: unknown) => {
					log.warn(`The agent host did not end as asked: ${describeFailure(error)}`);
				});
			}
			await startAfter(stopping);
		},
		dispose: () => {
			stateChanged.dispose();
			threadEvents.dispose();
			processesChanged.dispose();
			serversChanged.dispose();
			void connecting?.then((connected) => connected.dispose());
		},
	};
}

/** Loaded with the language client, which is there once a request is sent. */
async function followProgress(client: LanguageClient, onPercent: (percent: number) => void) {
	const { followWork } = await import("./language-client.ts");
	return followWork(client, onPercent);
}

/**
 * Whether a warning no longer applies: a policy warning once the probe passes, a sandbox warning once the sandbox works
 * or has a different problem.
 */
function isOver({ code }: HostWarning, { probe, sandbox }: HostStatus): boolean {
	if (code.startsWith("policy-")) return probe?.state === "held";
	if (code === BUNDLED) return sandbox !== undefined && sandbox.isBundled !== true;
	return sandbox !== undefined && SandboxProblemCode.safeParse(code).success && sandbox.problem?.code !== code;
}
