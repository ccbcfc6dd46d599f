import * as vscode from "vscode";
import { threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import { turnSteer } from "../../agent-host/protocol/thread/turn.ts";
import { t } from "../../l10n/t.ts";
import { readSettings } from "../facts/settings.ts";
import { type Parts, shownThread } from "./parts.ts";

const STATUS_MS = 4_000;

/** From the next turn on the agent plans instead of doing, or the other way round. */
export async function togglePlan({ host, panel, policy }: Parts): Promise<void> {
	const threadId = await panel.ensureThread();
	const { settings } = await host.request(threadSettings, { threadId, settings: {} });
	const now = settings.modes?.collaboration ?? readSettings().settings.modes?.collaboration;
	const collaboration = now === "plan" ? "default" : "plan";
	await host.request(threadSettings, { threadId, settings: { modes: { collaboration } } });
	policy.refresh();
	const [plans, does] = [t("The next turn plans and changes nothing."), t("The next turn does the work.")];
	vscode.window.setStatusBarMessage(collaboration === "plan" ? plans : does, STATUS_MS);
}

/** Says to the running turn what is on the clipboard. */
export async function steerWithClipboard(parts: Parts): Promise<void> {
	const threadId = shownThread(parts);
	const turnId = parts.turns.runningIn(threadId);
	if (turnId === undefined) throw new Error(t("No turn is running in this thread."));
	const text = (await vscode.env.clipboard.readText()).trim();
	if (text === "") throw new Error(t("There is no text on the clipboard."));
	await parts.host.request(turnSteer, { threadId, turnId, input: [{ kind: "text", text }] });
}
