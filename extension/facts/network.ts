import * as vscode from "vscode";
import { t } from "../../l10n/t.ts";
import { type Environment, ownValue, proxyEnvironment } from "./proxy.ts";
import { showInformation } from "./show-message.ts";

const SETTINGS = ["proxy", "proxySupport", "noProxy", "proxyStrictSSL", "systemCertificates"];

/** Environment of the host's process, so that it uses the same proxy as the editor. */
export function readNetworkEnvironment(): Environment {
	const [proxy, support, noProxy, strictSsl, systemCertificates] = SETTINGS.map(readOwn);
	return proxyEnvironment(
		{
			proxy: typeof proxy === "string" ? proxy : "",
			support: typeof support === "string" ? support : "override",
			noProxy: Array.isArray(noProxy) ? noProxy.filter((one) => typeof one === "string") : [],
			strictSsl: strictSsl !== false,
			systemCertificates: systemCertificates !== false,
		},
		process.env,
	);
}

/** The environment of a running process cannot change: offers to restart the host. */
export function watchNetwork(isRunning: () => boolean, restart: () => Promise<void>): vscode.Disposable {
	return vscode.workspace.onDidChangeConfiguration(async (event) => {
		if (!isRunning() || !SETTINGS.some((name) => event.affectsConfiguration(`http.${name}`))) return;
		const message = t("The editor's network settings have changed. Restart the agent host to apply them.");
		const now = t("Restart Agent Host");
		if ((await showInformation(message, now)) === now) await restart();
	});
}

function readOwn(name: string): unknown {
	return ownValue(vscode.workspace.getConfiguration("http").inspect<unknown>(name));
}
