import { type CompactionPlan, planCompaction, type Situation } from "../../../agent-host/compaction/plan-compaction.ts";
import { budgetsFor } from "../../../agent-host/envelope/window.ts";
import type { HistoryItem } from "../../../agent-host/history/history-item.ts";
import { TurnId } from "../../../agent-host/protocol/ids.ts";
import { Settings } from "../../../agent-host/protocol/settings/settings.ts";

/** A plan over all of a history; a test names only what it is about. */
export function aPlan(
	history: readonly HistoryItem[],
	change: Partial<Situation> & { readonly window?: number } = {},
): CompactionPlan {
	const settings = Settings.parse({});
	return planCompaction({
		reason: "limit",
		history,
		// Every message begins a turn, unless a compaction has kept it.
		turnStarts: history.flatMap((item, at) =>
			item.kind === "userMessage" && item.kept === undefined ? [{ turnId: TurnId.parse(`turn-${at}`), at }] : [],
		),
		dropped: 0,
		pinned: [],
		cut: history.length,
		budgets: budgetsFor(settings.model, settings.compaction, change.window ?? 16_000),
		fixed: 500,
		world: 300,
		incoming: 0,
		counted: 0,
		...change,
	});
}

export function user(text: string): HistoryItem {
	return { kind: "userMessage", text };
}

export function agent(text: string): HistoryItem {
	return { kind: "agentMessage", text };
}

export function call(callId: string, name = "read_file"): HistoryItem {
	return { kind: "toolCall", callId, name, arguments: "{}" };
}

export function output(callId: string, text: string): HistoryItem {
	return { kind: "toolOutput", callId, output: text };
}

/** An answer that keeps the contract. */
export function anAnswer(
	request: string,
	recent: readonly string[],
	change: { readonly summary?: string } = {},
): string {
	return JSON.stringify({
		intent_user_message: [
			"The project is in /repo.",
			"<VERBATIM_REQUEST_START>",
			request,
			"<VERBATIM_REQUEST_END>",
			"<RECENT_USER_CONTEXT_START>",
			recent.join("\n\n"),
			"<RECENT_USER_CONTEXT_END>",
		].join("\n"),
		summary: change.summary ?? "Two of three files are done.\nRESUME_AT: edit src/c.ts",
	});
}
