import * as vscode from "vscode";
import { BudgetSettings } from "../../../agent-host/protocol/settings/settings.ts";
import { threadRead, threadSettings } from "../../../agent-host/protocol/thread/thread.ts";
import { turnStart } from "../../../agent-host/protocol/thread/turn.ts";
import { amountOf, nextLimit } from "../../../l10n/limit-words.ts";
import { t } from "../../../l10n/t.ts";
import { readSettings } from "../../facts/settings.ts";
import { type Parts, shownThread } from "../parts.ts";
import { canRaise, findLimit, type RaisableLimit, readLimit, withLimit } from "./limit-choices.ts";

/** Prompt that is sent after a limit was raised. */
const GO_ON = "Go on where you stopped.";
/** Number of events to read to find the end of the newest turn. */
const LAST_EVENTS = 20;

const TITLES = {
	turn: "Raise Turn Limit for This Thread",
	thread: "Raise Limit for This Thread",
	day: "Raise Daily Limit for This Thread",
	agent: "Raise Sub-Agent Limit for This Thread",
} as const;

/** Argument of the panel's button, which already names the new limit. */
export const TO_NEXT = "next";

/**
 * Raises the limit that ended the last turn, for this thread, and continues. Asks for the new limit unless it is given.
 */
export async function raiseLimit(parts: Parts, how?: unknown): Promise<void> {
	const { host } = parts;
	const threadId = shownThread(parts);
	const before = Number.MAX_SAFE_INTEGER;
	const { events } = await host.request(threadRead, { threadId, before, limit: LAST_EVENTS });
	const reached = findLimit(events);
	if (reached === undefined) throw new Error(t("The last turn did not end at a limit."));
	if (!canRaise(reached)) throw new Error(t("Raise the limit in the thread that started this agent."));
	const limit = how === TO_NEXT ? nextLimit(reached) : await askLimit(reached);
	if (limit === undefined) return;
	const { settings } = await host.request(threadSettings, { threadId, settings: {} });
	const inForce = BudgetSettings.parse({ ...readSettings().settings.budgets, ...settings.budgets });
	const budgets = withLimit(inForce, reached, limit === "none" ? undefined : limit);
	await host.request(threadSettings, { threadId, settings: { budgets } });
	const trusted = vscode.workspace.isTrusted;
	await host.request(turnStart, { threadId, input: [{ kind: "text", text: GO_ON }], trusted });
}

async function askLimit(reached: RaisableLimit): Promise<number | "none" | undefined> {
	const { scope, unit, limit, spent } = reached;
	const next = nextLimit(reached);
	const picked = await vscode.window.showQuickPick(
		[
			{ label: `$(arrow-up) ${t("Raise to {0}", amountOf(unit, next))}`, limit: next },
			{ label: `$(edit) ${t("Another limit…")}`, limit: "typed" as const },
			{ label: `$(circle-slash) ${t("No limit for this thread")}`, limit: "none" as const },
		],
		{
			title: t(TITLES[scope]),
			placeHolder: t("Used {0} of {1}. The work continues right away.", amountOf(unit, spent), amountOf(unit, limit)),
		},
	);
	return picked?.limit === "typed" ? typeLimit(reached) : picked?.limit;
}

async function typeLimit(reached: RaisableLimit): Promise<number | undefined> {
	const typed = await vscode.window.showInputBox({
		title: t("Raise Limit"),
		prompt: t("More than {0}", amountOf(reached.unit, reached.spent)),
		validateInput: (text) => {
			const read = readLimit(text, reached);
			return typeof read === "string" ? read : undefined;
		},
	});
	const read = typed === undefined ? "" : readLimit(typed, reached);
	return typeof read === "number" ? read : undefined;
}
