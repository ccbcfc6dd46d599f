import assert from "node:assert/strict";
import { test } from "node:test";
import type { setGoal } from "../../../../extension/commands/chat/set-goal.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

interface Box {
	readonly prompt: string;
	readonly validateInput?: (value: string) => string | undefined;
}

/** Types the first text that an input accepts, and notes what it says about the others. */
async function aGoal(typed: Readonly<Record<string, readonly string[]>>, refusal?: Error) {
	const refused: (string | undefined)[] = [];
	const started: unknown[] = [];
	const returned: unknown[] = [];
	const showInputBox = async ({ prompt, validateInput }: Box) => {
		const texts = Object.entries(typed).find(([start]) => prompt.startsWith(start))?.[1] ?? [""];
		for (const text of texts) {
			const problem = validateInput?.(text);
			if (problem === undefined) return text;
			refused.push(problem);
		}
		return undefined;
	};
	const loaded = await loadOverPaper<{ readonly setGoal: typeof setGoal }>(["extension/commands/chat/set-goal.ts"], {
		window: { showInputBox, showQuickPick: async (rows: readonly unknown[]) => rows.at(-1) },
	});
	const panel = {
		here: () => undefined,
		start: async (text: string, { goal }: { readonly goal: unknown }) => {
			if (refusal !== undefined) throw refusal;
			started.push(text, goal);
		},
		compose: async (...composed: readonly unknown[]) => void returned.push(composed),
	};
	const problem = await loaded.setGoal({ panel } as never, "All tests pass.").catch((error: unknown) => error);
	return { refused, started, returned, problem };
}

test("too many turns for a goal, or too long a check, are refused while they are typed", async () => {
	const { refused, started, returned } = await aGoal({
		Turns: ["0", "1001", "1000"],
		Command: ["x".repeat(2_001), "npm test"],
	});
	assert.deepEqual(refused, [
		"Up to 2,000 characters.",
		"Enter a number from 1 to 1,000.",
		"Enter a number from 1 to 1,000.",
	]);
	assert.deepEqual(started, ["All tests pass.", { budget: { turns: 1_000 }, check: "npm test" }]);
	assert.deepEqual(returned, []);
});

test("a goal that the host refuses, or whose questions are left unanswered, is in the prompt again", async () => {
	const refusal = new Error("A turn is running.");
	const words = [["/goal All tests pass.", [], "write"]];
	const asked = { Turns: ["10"], Command: ["npm test"] };
	const { returned, problem } = await aGoal(asked, refusal);
	assert.deepEqual([returned, problem], [words, refusal]);
	assert.deepEqual((await aGoal({ ...asked, Turns: [] })).returned, words);
});
