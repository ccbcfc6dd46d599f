// Measures what planning and building a compaction costs, and what it saves, and prints a table. No model is asked.
// Usage: node test/bench/compaction.ts
import { trimHistory } from "../../agent-host/compaction/deterministic.ts";
import { historyTokens } from "../../agent-host/compaction/measure.ts";
import { planCompaction } from "../../agent-host/compaction/plan-compaction.ts";
import { type Replacement, replaceBySummary } from "../../agent-host/compaction/replacement.ts";
import { budgetsFor } from "../../agent-host/envelope/window.ts";
import type { HistoryItem } from "../../agent-host/history/history-item.ts";
import { Settings } from "../../agent-host/protocol/settings/settings.ts";
import { median } from "./table.ts";

const SIZES = [1_000, 10_000];
const ROUNDS = 7;
const WINDOW = 200_000;

/** Turns of five items: a prompt, a text, a call, its result, an answer. New objects each time: nothing is remembered. */
function aHistory(items: number): readonly HistoryItem[] {
	return Array.from({ length: items / 5 }, (_, turn): readonly HistoryItem[] => [
		{ kind: "userMessage", text: `Prompt ${turn}: ${"please look at this file. ".repeat(4)}` },
		{ kind: "agentMessage", text: "Let me look at it first." },
		{ kind: "toolCall", callId: `c${turn}`, name: "read_file", arguments: `{"path":"src/${turn}.ts"}` },
		{ kind: "toolOutput", callId: `c${turn}`, output: `export const value = ${turn};\n`.repeat(40) },
		{ kind: "agentMessage", text: "It exports a value. ".repeat(10) },
	]).flat();
}

function planOf(history: readonly HistoryItem[]): ReturnType<typeof planCompaction> {
	const { model, compaction } = Settings.parse({});
	return planCompaction({
		reason: "limit",
		history,
		turnStarts: [],
		dropped: 0,
		pinned: [],
		cut: history.length,
		budgets: budgetsFor(model, compaction, WINDOW),
		fixed: 2_000,
		world: 500,
		incoming: 0,
		counted: 0,
	});
}

interface Figures {
	readonly plan: number;
	readonly build: number;
	readonly before: number;
	readonly after: number;
	readonly bytes: number;
}

function measure(items: number, replace: (plan: ReturnType<typeof planCompaction>) => Replacement): Figures {
	const history = aHistory(items);
	const start = performance.now();
	const plan = planOf(history);
	const planned = performance.now();
	const { items: replaced } = replace(plan);
	const built = performance.now();
	const bytes = JSON.stringify(replaced).length / JSON.stringify(history).length;
	return {
		plan: planned - start,
		build: built - planned,
		before: historyTokens(history),
		after: historyTokens(replaced),
		bytes,
	};
}

const STRATEGIES = {
	"by summary": (plan: ReturnType<typeof planCompaction>) =>
		replaceBySummary(plan, {
			request: plan.record.at(-1) ?? "",
			recent: [],
			context: "",
			summary: `${"What was done so far. ".repeat(600)}\nRESUME_AT: edit src/a.ts`,
			repaired: 0,
		}),
	"without a model": trimHistory,
};

console.log("| Items | Strategy | Plan, ms | Build, ms | Tokens before | Tokens after | Bytes after/before |");
console.log("| --- | --- | --- | --- | --- | --- | --- |");
for (const items of SIZES) {
	for (const [name, replace] of Object.entries(STRATEGIES)) {
		const rounds = Array.from({ length: ROUNDS }, () => measure(items, replace));
		const cell = (key: keyof Figures, digits: number) => median(rounds.map((round) => round[key])).toFixed(digits);
		const cells = [cell("plan", 1), cell("build", 1), cell("before", 0), cell("after", 0), cell("bytes", 3)];
		console.log(`| ${items.toLocaleString("en")} | ${name} | ${cells.join(" | ")} |`);
	}
}
