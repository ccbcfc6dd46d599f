import * as vscode from "vscode";
import { permissionLedger, permissionRevoke } from "../../../agent-host/protocol/approval/ledger.ts";
import { processList, processStop } from "../../../agent-host/protocol/thread/process.ts";
import { sayNamed } from "../../../l10n/host-words.ts";
import { t } from "../../../l10n/t.ts";
import { withoutIcons } from "../../facts/plain-row.ts";
import { isSaved, removeHost, removeRules, removeServerTool } from "../../facts/settings.ts";
import type { HostClient } from "../../host/host-client.ts";
import type { ActivityRow } from "../../views/activity/activity-view.ts";
import { asLabel, describeDecision } from "../../views/activity/activity-words.ts";
import { type Parts, shownThread } from "../parts.ts";

type RowCommand = (parts: Parts, row: ActivityRow | undefined) => Promise<void>;

/** Commands on a row of the Activity view; from the palette they ask for the row. */
export const ACTIVITY_COMMANDS: Readonly<Record<string, RowCommand>> = {
	"vitrine.showProcess": async ({ host, documents }, row) => {
		const chosen = row ?? (await pickProcess(host));
		if (chosen?.kind !== "process") return;
		const { threadId, processId } = chosen.process;
		await documents.open({ kind: "process", threadId, processId });
	},
	"vitrine.stopProcess": async ({ host }, row) => {
		const chosen = row ?? (await pickProcess(host));
		if (chosen?.kind !== "process") return;
		const { threadId, processId } = chosen.process;
		const { stopped } = await host.request(processStop, { threadId, processId });
		if (!stopped) throw new Error(t("That command has already ended."));
	},
	"vitrine.revokePermission": async (parts, row) => {
		const chosen = row ?? (await pickGrant(parts));
		if (chosen?.kind !== "decision") return;
		const { host } = parts;
		const { threadId, entry } = chosen;
		if (entry.grant === "inForce") await host.request(permissionRevoke, { threadId, digest: entry.digest });
		if (entry.decision !== "deny" && entry.rules !== undefined) await removeRules(entry.rules);
		if (entry.host !== undefined) await removeHost(entry.host);
		if (entry.serverTool !== undefined) await removeServerTool(entry.serverTool);
	},
};

/** Shows all decisions of the open thread as a document. */
export async function showLedger(parts: Parts): Promise<void> {
	await parts.documents.open({ kind: "ledger", threadId: shownThread(parts) });
}

/** Shows the Activity view. */
export async function showProcesses(): Promise<void> {
	await vscode.commands.executeCommand("vitrine.activity.focus");
}

async function pickProcess(host: HostClient): Promise<ActivityRow | undefined> {
	const { processes } = await host.request(processList, {});
	if (processes.length === 0) throw new Error(t("No background commands."));
	const rows = processes.map((process) => ({
		label: withoutIcons(asLabel(process.command)),
		description: process.processId,
		process,
	}));
	const picked = await vscode.window.showQuickPick(rows, { title: t("Select Command") });
	return picked && { kind: "process", process: picked.process };
}

/** Picks one of the thread's grants that can be revoked. */
async function pickGrant(parts: Parts): Promise<ActivityRow | undefined> {
	const threadId = shownThread(parts);
	const { entries } = await parts.host.request(permissionLedger, { threadId, limit: 1_000 });
	const revocable = entries.filter((entry) => entry.grant === "inForce" || isSaved(entry));
	if (revocable.length === 0) throw new Error(t("There are no permissions to revoke in this thread."));
	const once = [...new Map(revocable.map((entry) => [`${entry.grant} ${entry.digest}`, entry])).values()];
	const rows = once.map((entry) => ({
		label: withoutIcons(asLabel(sayNamed(entry.what, entry.whatSaid))),
		description: describeDecision(entry),
		entry,
	}));
	const picked = await vscode.window.showQuickPick(rows, { title: t("Revoke Permission") });
	return picked && { kind: "decision", threadId, entry: picked.entry };
}
