import * as vscode from "vscode";
import { MAX_GOAL_CHARS } from "../../../agent-host/protocol/limits.ts";
import {
	type GoalBudget,
	GoalRequest,
	MAX_CHECK_CHARS,
	MAX_GOAL_TURNS,
} from "../../../agent-host/protocol/thread/goal.ts";
import { countOf, t } from "../../../l10n/t.ts";
import type { Parts } from "../parts.ts";

const EXAMPLE_CHECK = "npm test";
const HOUR = 60;
const PRESETS: readonly GoalBudget[] = [
	{ turns: 10, minutes: HOUR / 2 },
	{ turns: 30, minutes: 2 * HOUR },
	{ turns: 100, minutes: 8 * HOUR },
];

/** Sets a goal: what is to hold, the command that decides, and the budget. A goal that is not set is in the prompt again. */
export async function setGoal({ panel }: Parts, given?: unknown): Promise<void> {
	// The user may open another thread while being asked.
	const to = panel.here();
	const text = typeof given === "string" && given.trim() !== "" ? given.trim() : await askGoal();
	if (text === undefined || text === "") return;
	const goal = await askRequest();
	const giveBack = () => panel.compose(`/goal ${text}`, [], "write");
	if (goal === undefined) return giveBack();
	try {
		await panel.start(text, { to, goal });
	} catch (error) {
		await giveBack();
		throw error;
	}
}

function askGoal(): Thenable<string | undefined> {
	return vscode.window.showInputBox({
		title: t("Set Goal"),
		prompt: t("What should hold when the work is done?"),
		ignoreFocusOut: true,
		validateInput: (value) =>
			value.length > MAX_GOAL_CHARS ? t("A goal can have up to {0} characters.", MAX_GOAL_CHARS) : undefined,
	});
}

async function askRequest(): Promise<GoalRequest | undefined> {
	const check = await vscode.window.showInputBox({
		title: t("Set Goal"),
		prompt: t("Command that decides whether the goal is reached. Leave empty to have the agent verify it."),
		placeHolder: EXAMPLE_CHECK,
		ignoreFocusOut: true,
		validateInput: (value) =>
			value.trim().length > MAX_CHECK_CHARS ? t("Up to {0} characters.", MAX_CHECK_CHARS) : undefined,
	});
	const budget = check === undefined ? undefined : await askBudget();
	if (budget === undefined) return undefined;
	return GoalRequest.parse({ budget, ...(check?.trim() ? { check } : {}) });
}

async function askBudget(): Promise<GoalBudget | undefined> {
	const other = { label: t("Other…"), budget: undefined };
	const rows = [...PRESETS.map((budget) => ({ label: describeBudget(budget), budget })), other];
	const picked = await vscode.window.showQuickPick(rows, { title: t("Budget of the goal"), ignoreFocusOut: true });
	return picked === other ? askAmounts() : picked?.budget;
}

function describeBudget({ turns, minutes = 0 }: GoalBudget): string {
	const time =
		minutes < HOUR ? countOf(minutes, "{0} minute", "{0} minutes") : countOf(minutes / HOUR, "{0} hour", "{0} hours");
	return t("{0}, {1}", countOf(turns, "{0} turn", "{0} turns"), time);
}

async function askAmounts(): Promise<GoalBudget | undefined> {
	const turns = await askAmount(t("Turns at most"), "20", "required");
	const minutes = turns === undefined ? undefined : await askAmount(t("Minutes at most (optional)"), "60");
	const tokens = minutes === undefined ? undefined : await askAmount(t("Tokens at most (optional)"), "");
	const money = tokens === undefined ? undefined : await askAmount(t("US dollars at most (optional)"), "");
	if (turns === undefined || minutes === undefined || tokens === undefined || money === undefined) return undefined;
	return {
		turns: Math.round(turns),
		...(minutes > 0 && { minutes }),
		...(tokens > 0 && { tokens }),
		...(money > 0 && { money }),
	};
}

/** A number, 0 if it is left empty; undefined if the user gives up. */
async function askAmount(prompt: string, value: string, how?: "required"): Promise<number | undefined> {
	const [least, most] = how === undefined ? [0.01, 1e12] : [1, MAX_GOAL_TURNS];
	const isFine = (text: string): boolean =>
		text.trim() === "" ? how === undefined : Number(text) >= least && Number(text) <= most;
	const problem = how === undefined ? t("Enter a number.") : t("Enter a number from {0} to {1}.", least, most);
	const typed = await vscode.window.showInputBox({
		title: t("Budget of the goal"),
		prompt,
		value,
		ignoreFocusOut: true,
		validateInput: (text) => (isFine(text) ? undefined : problem),
	});
	return typed === undefined ? undefined : Number(typed);
}
