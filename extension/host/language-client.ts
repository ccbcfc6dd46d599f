import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type * as vscode from "vscode";
import { CloseAction, ErrorAction, LanguageClient, State, TransportKind } from "vscode-languageclient/node";
import type { HostOptions } from "../../agent-host/protocol/host/host-options.ts";
import type { Environment } from "../facts/proxy.ts";

const HEAP_LIMIT_MB = 512;

export interface LaunchOptions {
	readonly extensionPath: string;
	/** A folder that only the user and the host can write. */
	readonly compileCache: string;
	readonly log: vscode.LogOutputChannel;
	/** The port that a debugger finds the host at; undefined but while the extension is being developed. */
	readonly inspectPort: number | undefined;
	/** Read anew at every start, so that a restarted host gets today's trust and settings. */
	readonly hostOptions: () => HostOptions;
	/** Of the process, likewise; undefined takes a name out. */
	readonly environment: () => Environment;
}

/** Told of the host's process. */
export interface ProcessWatcher {
	/** Why the host stays down, or undefined when it is to be started again. */
	readonly onExit: () => string | undefined;
	readonly onStateChange: (state: "starting" | "ready") => void;
}

/** Starts the host as a child of the editor, and again when it dies, and speaks the language-server protocol with it. */
export function createLanguageClient(options: LaunchOptions, watch: ProcessWatcher): LanguageClient {
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
				execArgv: [
					`--max-old-space-size=${HEAP_LIMIT_MB}`,
					...(options.inspectPort === undefined ? [] : [`--inspect=127.0.0.1:${options.inspectPort}`]),
				],
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
