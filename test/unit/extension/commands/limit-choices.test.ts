import assert from "node:assert/strict";
import { test } from "node:test";
import { BudgetSettings } from "../../../../agent-host/protocol/settings/settings.ts";
import { findLimit, readLimit, withLimit } from "../../../../extension/commands/settings/limit-choices.ts";
import { nextLimit } from "../../../../l10n/limit-words.ts";

const reached = { scope: "turn", unit: "money", limit: 0.5, spent: 2.1 } as const;

test("the suggested limit is the first doubling that leaves something to spend", () => {
	assert.equal(nextLimit(reached), 4);
	assert.equal(nextLimit({ ...reached, spent: 0.5 }), 1);
});

test("changing or removing one limit keeps the others of its scope", () => {
	const inForce = BudgetSettings.parse({ turn: { money: 0.5, requests: 9 }, day: { tokens: 5 } });
	assert.deepEqual(withLimit(inForce, reached, 4), { turn: { requests: 9, money: 4 } });
	assert.deepEqual(withLimit(inForce, reached, undefined), { turn: { requests: 9 } });
});

test("a typed limit must be a number above what is used, and a whole number where only those make sense", () => {
	assert.deepEqual(
		["", "much", "2", "2.5", "1,000"].map((text) => readLimit(text, reached)),
		["Enter a number.", "Enter a number.", "Already used: 2.1 US dollars. Enter a higher limit.", 2.5, 1_000],
	);
	assert.equal(readLimit("2.5", { ...reached, unit: "requests" }), "Enter a whole number.");
});

test("a comma must separate thousands; a decimal comma is refused, not read as a limit a hundred times higher", () => {
	const asRead = ["1,000", "12,345,678", "1,000.5", "2,50", "5,0", "1,00,000", ",500", "1,000,"].map((text) =>
		readLimit(text, reached),
	);
	const no = "Enter a number.";
	assert.deepEqual(asRead, [1_000, 12_345_678, 1_000.5, no, no, no, no, no]);
});

test("only the newest turn's end counts", () => {
	const end = { type: "turnCompleted", turnId: "t" as never, status: "failed" } as const;
	const atLimit = { at: 0, event: { ...end, error: { code: "budget", message: "", limit: reached } } } as const;
	assert.deepEqual(findLimit([{ at: 0, event: end }, atLimit]), reached);
	assert.equal(findLimit([atLimit, { at: 0, event: end }]), undefined);
});
