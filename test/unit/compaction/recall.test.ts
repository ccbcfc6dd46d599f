import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { pageMatches, pageTurn, pageTurns } from "../../../agent-host/compaction/recall-items.ts";
import { estimateTokens } from "../../../agent-host/history/tokens.ts";
import { TurnId } from "../../../agent-host/protocol/ids.ts";

const turns = Array.from({ length: 30 }, (_, index) => ({
	turnId: TurnId.parse(`turn-${index}`),
	texts: [`The user: question ${index}`, `You: answer ${index} ${"and so on ".repeat(20)}`],
}));

test("a list of turns is paged without gaps", () => {
	const lines: string[] = [];
	for (let from: number | undefined = 1; from !== undefined; ) {
		const page = pageTurns(turns, from, 60);
		assert.ok(estimateTokens(page) <= 120);
		lines.push(...page.split("\n").filter((line) => !line.startsWith("[")));
		const next: string | undefined = /from: (\d+)\]$/.exec(page)?.[1];
		from = next === undefined ? undefined : Number(next);
	}
	assert.deepEqual(
		lines,
		turns.map(({ turnId }, index) => `${turnId}: The user: question ${index}`),
	);
});

test("a turn read page by page is the turn, byte for byte", () => {
	fc.assert(
		fc.property(
			fc.array(fc.string({ minLength: 1, unit: "grapheme" }), { minLength: 1 }),
			fc.integer({ min: 5, max: 50 }),
			(texts, tokens) => {
				const turn = { turnId: TurnId.parse("t"), texts: texts.map((text) => text.repeat(9)) };
				let whole = "";
				for (let from: number | undefined = 1; from !== undefined; ) {
					const page = pageTurn(turn, from, tokens);
					const next: RegExpExecArray | null = /\n\[\d+ more characters; continue with from: (\d+)\]$/.exec(page);
					whole += next === null ? page : page.slice(0, next.index);
					from = next === null ? undefined : Number(next[1]);
				}
				assert.equal(whole, turn.texts.join("\n\n"));
			},
		),
	);
});

test("a query ignores letter case and names the turn of each match", () => {
	assert.match(pageMatches(turns, "ANSWER 7 ", 1, 500), /^\[turn turn-7\] You: answer 7 /);
	assert.equal(pageMatches(turns, "swordfish", 1, 500), "No matches in the dropped turns.");
	assert.match(pageMatches(turns, "question", 1, 40), /more matches; continue with from: \d+\]$/);
});
