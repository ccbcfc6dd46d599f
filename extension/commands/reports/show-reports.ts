import * as vscode from "vscode";
import { hostDoctor } from "../../../agent-host/protocol/host/health.ts";
import { hostTraces } from "../../../agent-host/protocol/host/telemetry.ts";
import type { ReportName } from "../../views/reports/document-address.ts";
import { formatTrace, withoutPrivateLabels } from "../../views/reports/trace-lines.ts";
import { type Parts, shownThread } from "../parts.ts";

/** Opens a report on the open thread, or on a new one. */
export function showReport(name: ReportName): (parts: Parts) => Promise<void> {
	return ({ panel, documents }) => {
		const threadId = panel.threadId();
		return documents.open({ kind: "report", name, ...(threadId === undefined ? {} : { threadId }) });
	};
}

export function showRequestDiff(parts: Parts): Promise<void> {
	return parts.documents.showRequestDiff(shownThread(parts));
}

/** Opens a report to attach to an issue. Nothing is sent, and it contains no secret, prompt or path of the user. */
export async function collectDiagnostics({ host }: Parts): Promise<void> {
	const [{ text }, { spans }] = await Promise.all([host.request(hostDoctor, {}), host.request(hostTraces, {})]);
	const { appName, appHost, remoteName, language } = vscode.env;
	const lines = [
		`- ${appName} ${vscode.version} (${appHost}${remoteName === undefined ? "" : ", remote"}), ${language}`,
		...changedSettings().map((line) => `- ${line}`),
	];
	const turns = formatTrace(spans.map(withoutPrivateLabels));
	const content = [text, "## Editor and settings\n", ...lines, "", "## Last turns\n", ...turns, ""].join("\n");
	await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: "markdown", content }));
}

/** Settings that differ from their defaults. For free text and lists only their names are reported. */
function changedSettings(): readonly string[] {
	const configuration = vscode.workspace.getConfiguration("vitrine");
	const groups = Object.entries(configuration).filter(([, value]) => typeof value !== "function");
	const keys = groups.flatMap(([group, value]) =>
		typeof value === "object" && value !== null ? Object.keys(value).map((key) => `${group}.${key}`) : [group],
	);
	return keys.flatMap((key) => {
		const found = configuration.inspect<unknown>(key);
		const set = found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
		if (set === undefined) return [];
		const isPlain = typeof set === "boolean" || typeof set === "number";
		return [`vitrine.${key}: ${isPlain ? String(set) : "(set)"}`];
	});
}
