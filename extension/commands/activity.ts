import * as vscode from "vscode";
import { permissionRevoke } from "../../agent-host/protocol/ledger.ts";
import { processStop } from "../../agent-host/protocol/process.ts";
import { t } from "../../l10n/t.ts";
import { removeRule } from "../facts/settings.ts";
import type { ActivityRow } from "../views/activity.ts";
import { type Parts, shownThread } from "./parts.ts";

type RowCommand = (parts: Parts, row: ActivityRow) => Promise<void>;

/** Commands of a row in the Activity view. */
export const ACTIVITY_COMMANDS: Readonly<Record<string, RowCommand>> = {
	"vitrine.showProcess": async ({ documents }, row) => {
		if (row.kind !== "process") return;
		const { threadId, processId } = row.process;
		await documents.open({ kind: "process", threadId, processId });
	},
	"vitrine.stopProcess": async ({ host }, row) => {
		if (row.kind !== "process") return;
		const { threadId, processId } = row.process;
		const { stopped } = await host.request(processStop, { threadId, processId });
		if (!stopped) throw new Error(t("That command has ended already."));
	},
	"vitrine.revokePermission": async ({ host }, row) => {
		if (row.kind !== "decision") return;
		const { threadId, entry } = row;
		if (entry.grant === "inForce") await host.request(permissionRevoke, { threadId, digest: entry.digest });
		if (entry.rule !== undefined) await removeRule(entry.rule);
	},
};

/** All decisions of the thread in the chat as a document. */
export async function showLedger(parts: Parts): Promise<void> {
	await parts.documents.open({ kind: "ledger", threadId: shownThread(parts) });
}

/** Brings the Activity view to the front. */
export async function showProcesses(): Promise<void> {
	await vscode.commands.executeCommand("vitrine.activity.focus");
}
