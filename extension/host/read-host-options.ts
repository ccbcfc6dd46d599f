import * as vscode from "vscode";
import type { HostOptions } from "../../agent-host/protocol/host/host-options.ts";
import { t } from "../../l10n/t.ts";
import { findEditorRipgrep } from "../facts/ripgrep.ts";
import { readSettings } from "../facts/settings.ts";
import { showError } from "../facts/show-message.ts";

function chooseEnvironment(remote: string | undefined): HostOptions["environment"] {
	if (remote === undefined) return "local";
	return /container|codespaces/.test(remote) ? "container" : "remote";
}

/** What a host is started with. */
export function readHostOptions(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): HostOptions {
	const read = readSettings();
	reportProblems(read.problems, log);
	const ripgrep = findEditorRipgrep(vscode.env.appRoot);
	return {
		home: context.globalStorageUri.fsPath,
		trusted: vscode.workspace.isTrusted,
		settings: read.settings,
		surface: { name: vscode.env.appName, version: vscode.version },
		locale: vscode.env.language,
		environment: chooseEnvironment(vscode.env.remoteName),
		asksUser: true,
		knowsLanguages: true,
		hasTools: true,
		...(ripgrep === undefined ? {} : { ripgrep }),
	};
}

/** Problems that were already shown; they are not shown again while they persist. */
let reported: ReadonlySet<string> = new Set();

/** Tells the user what is wrong with the settings, each problem once. */
export function reportProblems(problems: readonly string[], log: vscode.LogOutputChannel): void {
	const fresh = problems.filter((problem) => !reported.has(problem));
	reported = new Set(problems);
	for (const problem of fresh) {
		log.error(problem);
		const openSettings = t("Open Settings");
		void showError(t("Vitrine: {0}", problem), openSettings).then((answer) => {
			if (answer === openSettings) void vscode.commands.executeCommand("vitrine.openSettings");
		});
	}
}

/** An installed extension opens no port, whatever its environment says. */
export function readInspectPort({ extensionMode }: vscode.ExtensionContext): number | undefined {
	const port = Number(process.env.VITRINE_INSPECT_HOST);
	return extensionMode === vscode.ExtensionMode.Development && port > 0 ? port : undefined;
}
