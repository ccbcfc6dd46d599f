import * as vscode from "vscode";
import { ownSetting } from "../facts/own-setting.ts";

/** Longest logged content of one message. */
const MAX_CONTENTS = 2_000;

export type TraceLevel = "off" | "messages" | "verbose";

/** Logs the messages between extension and host, as the user's setting `vitrine.trace` says. */
export interface Trace extends vscode.Disposable {
	/** Never receives secrets: they are answered elsewhere. */
	readonly write: (direction: "→" | "←", name: string, contents: unknown) => void;
	readonly show: () => Promise<void>;
}

export function createTrace(): Trace {
	let channel: vscode.OutputChannel | undefined;
	let level = readLevel();
	const open = (): vscode.OutputChannel => {
		channel ??= vscode.window.createOutputChannel("Vitrine Trace");
		return channel;
	};
	const watch = vscode.workspace.onDidChangeConfiguration((event) => {
		if (event.affectsConfiguration("vitrine.trace")) level = readLevel();
	});
	return {
		write: (direction, name, contents) => {
			if (level === "off") return;
			const said = level === "verbose" ? ` ${(JSON.stringify(contents) ?? "").slice(0, MAX_CONTENTS)}` : "";
			open().appendLine(`${new Date().toISOString()} ${direction} ${name}${said}`);
		},
		show: async () => {
			// Showing the trace switches it on.
			if (level === "off")
				await vscode.workspace
					.getConfiguration("vitrine")
					.update("trace", "messages", vscode.ConfigurationTarget.Global);
			open().show();
		},
		dispose: () => vscode.Disposable.from(watch, ...(channel === undefined ? [] : [channel])).dispose(),
	};
}

/** Only the user's value counts: a workspace must not switch on logging. */
function readLevel(): TraceLevel {
	const value = ownSetting("vitrine.trace");
	return value === "messages" || value === "verbose" ? value : "off";
}
