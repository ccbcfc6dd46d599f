import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type * as vscode from "vscode";
import {
	CloseAction,
	ErrorAction,
	LanguageClient,
	State,
	TransportKind,
	WorkDoneProgress,
} from "vscode-languageclient/node";
import type { HostOptions } from "../../agent-host/protocol/host/host-options.ts";
import type { Environment } from "../facts/proxy.ts";

const HEAP_LIMIT_MB = 512;

export interface LaunchOptions {
	readonly extensionPath: string;
	/** A folder that only the user and the host can write to. */
	readonly codeCache: string;
	readonly log: vscode.LogOutputChannel;
	/** Port for a debugger; undefined except during development of the extension. */
	readonly inspectPort: number | undefined;
	/** Read at every start, so that a restarted host gets the current trust and settings. */
	readonly hostOptions: () => HostOptions;
	/** Environment of the process, read at every start; undefined removes a variable. */
	readonly environment: () => Environment;
}

/** Callbacks for the host's process. */
export interface ProcessWatcher {
	/** Returns why the host stays down, or undefined to restart it. */
	readonly onExit: () => string | undefined;
	readonly onStateChange: (state: "starting" | "ready") => void;
}

/** Starts the host as a child process, restarts it when it dies, and talks to it with the language server protocol. */
export function createLanguageClient(options: LaunchOptions, watch: ProcessWatcher): LanguageClient {
	const folder = join(options.extensionPath, "dist");
	// The client logs whole messages if a setting `<id>.trace.server` says so, and a workspace can contain any setting.
	// No setting can name an id that is random at each start.
	const id = `vitrine-${randomUUID()}`;
	const client = new LanguageClient(
		id,
		"Vitrine Agent Host",
		{
			module: join(folder, "agent-host.cjs"),
			transport: TransportKind.ipc,
			// Not the workspace folder, which is the client's default.
			options: {
				cwd: folder,
				execArgv: [
					`--max-old-space-size=${HEAP_LIMIT_MB}`,
					...(options.inspectPort === undefined ? [] : [`--inspect=127.0.0.1:${options.inspectPort}`]),
				],
				get env() {
					return options.environment();
				},
			},
			args: ["--code-cache", options.codeCache],
		},
		{
			documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
			initializationOptions: options.hostOptions,
			outputChannel: options.log,
			errorHandler: {
				error: () => ({ action: ErrorAction.Continue, handled: true }),
				closed: () => {
					const reason = watch.onExit();
					if (reason === undefined) return { action: CloseAction.Restart, handled: true };
					return { action: CloseAction.DoNotRestart, message: reason, handled: true };
				},
			},
		},
	);
	client.onDidChangeState(({ newState }) => {
		if (newState === State.Running) watch.onStateChange("ready");
		else if (newState === State.Starting) watch.onStateChange("starting");
	});
	return client;
}

/** A token for one request, and how far the host says that its work is. */
export function followWork(
	client: LanguageClient,
	onPercent: (percent: number) => void,
): vscode.Disposable & { readonly workDoneToken: string } {
	const workDoneToken = randomUUID();
	const listening = client.onProgress(WorkDoneProgress.type, workDoneToken, (value) => {
		if (value.kind === "report" && value.percentage !== undefined) onPercent(value.percentage);
	});
	return { workDoneToken, dispose: () => listening.dispose() };
}
