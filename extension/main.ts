import * as vscode from "vscode";
import { didChangeConfiguration, didChangeTrust, type HostOptions } from "../agent-host/protocol/host.ts";
import type { PanelCommand } from "../media/wire.ts";
import { registerCommands } from "./commands/catalog.ts";
import { createKeys } from "./facts/keys.ts";
import { readPanelState } from "./facts/panel-state.ts";
import { findEditorRipgrep } from "./facts/ripgrep.ts";
import { readSettings, watchSettings } from "./facts/settings.ts";
import { createHostClient } from "./host/host-client.ts";
import { createChatPanel } from "./panel/chat-panel.ts";
import { createThreadsView } from "./views/threads.ts";

/** What the panel's buttons run, by the names its page knows. */
const PANEL_COMMAND_IDS: Readonly<Record<PanelCommand, readonly [string, ...unknown[]]>> = {
	setUpModel: ["vitrine.setUpModel"],
	manageTrust: ["workbench.trust.manage"],
	openFolder: ["workbench.action.files.openFolder"],
	showLog: ["vitrine.showLog"],
	restartHost: ["vitrine.restartHost"],
	newThread: ["vitrine.newThread"],
	changeFolder: ["vitrine.changeFolder"],
	changeModel: ["vitrine.changeModel"],
	changePermissions: ["vitrine.changePermissions"],
	openSettings: ["workbench.action.openSettings", "@ext:vitrine.vitrine"],
};

/** Builds the parts. Starts no process and reads no file: the host starts with the first view or request. */
export function activate(context: vscode.ExtensionContext): void {
	const log = vscode.window.createOutputChannel("Vitrine", { log: true });
	const keys = createKeys(context.secrets);
	const host = createHostClient({
		extensionPath: context.extensionPath,
		log,
		hostOptions: () => readHostOptions(context, log),
		secret: (_provider, origin) => keys.get(origin),
	});
	const panel = createChatPanel({
		context,
		host,
		log,
		panelState: () => readPanelState(host.state(), keys),
		runCommand: (command) => void vscode.commands.executeCommand(...PANEL_COMMAND_IDS[command]),
	});
	const threads = createThreadsView(host);
	const tellSettings = (): void => {
		const { settings, problems } = readSettings();
		reportProblems(problems, log);
		host.notify(didChangeConfiguration, { settings });
		panel.refresh();
	};
	context.subscriptions.push(
		log,
		host,
		panel,
		threads,
		registerCommands({ host, panel, threads, keys, log }),
		watchSettings(() => tellSettings()),
		keys.onDidChange(() => panel.refresh()),
		vscode.workspace.onDidChangeWorkspaceFolders(() => tellSettings()),
		vscode.workspace.onDidGrantWorkspaceTrust(() => {
			// What the workspace wants to be stricter about comes first, so that it never counts for too little.
			tellSettings();
			host.notify(didChangeTrust, { trusted: true });
		}),
	);
}

function environmentOf(remote: string | undefined): HostOptions["environment"] {
	if (remote === undefined) return "local";
	return /container|codespaces/.test(remote) ? "container" : "remote";
}

function readHostOptions(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): HostOptions {
	const read = readSettings();
	reportProblems(read.problems, log);
	const ripgrep = findEditorRipgrep(vscode.env.appRoot);
	return {
		home: context.globalStorageUri.fsPath,
		trusted: vscode.workspace.isTrusted,
		settings: read.settings,
		surface: { name: vscode.env.appName, version: vscode.version },
		locale: vscode.env.language,
		environment: environmentOf(vscode.env.remoteName),
		...(ripgrep === undefined ? {} : { ripgrep }),
	};
}

const OPEN_SETTINGS = "Open Settings";

function reportProblems(problems: readonly string[], log: vscode.LogOutputChannel): void {
	for (const problem of problems) {
		log.error(problem);
		void vscode.window.showErrorMessage(`Vitrine: ${problem}`, OPEN_SETTINGS).then((answer) => {
			if (answer === OPEN_SETTINGS) void vscode.commands.executeCommand(...PANEL_COMMAND_IDS.openSettings);
		});
	}
}
