import type { BudgetSettings, Limits } from "../../protocol/settings/settings.ts";
import { defineFragment } from "../fragment.ts";

/** The user's limits, and the percentage of the thread's tokens that is left. */
export interface BudgetFacts {
	readonly limits: Pick<BudgetSettings, "turn" | "thread" | "day">;
	readonly percentLeft: number | null;
}

const WORDS: Readonly<Record<keyof Limits, string>> = {
	tokens: "tokens",
	money: "US dollars",
	requests: "requests",
	minutes: "minutes",
};

/** The user's spending limits. */
export const budget = defineFragment<BudgetFacts>({
	kind: "budget",
	role: "developer",
	tag: "budget",
	origin: "host",
	maxChars: 1_000,
	about: "Hard limits on tokens, money, requests and time, and how much is left.",
	summary: ({ limits, percentLeft }) =>
		[`budget: ${shorten(limits) || "none"}`, ...(percentLeft === null ? [] : [`about ${percentLeft} % left`])].join(
			", ",
		),
	body: ({ limits, percentLeft }) => {
		const lines = [
			...describe("A turn", limits.turn),
			...describe("This thread", limits.thread),
			...describe("A day", limits.day),
		];
		if (lines.length === 0) return "The limits set before no longer apply.";
		return [
			"Hard limits; work stops when one is reached:",
			...lines,
			percentLeft === null ? undefined : `About ${percentLeft} % of this thread's tokens are left.`,
		]
			.filter((line) => line !== undefined)
			.join("\n");
	},
});

function describe(scope: string, limits: Limits): readonly string[] {
	const parts = Object.entries(limits).map(([name, value]) => `${value} ${WORDS[name as keyof Limits]}`);
	return parts.length === 0 ? [] : [`- ${scope}: at most ${parts.join(", ")}`];
}

/** "turn 4 requests, day 5 US dollars". */
function shorten(limits: BudgetFacts["limits"]): string {
	return Object.entries(limits)
		.flatMap(([scope, units]: [string, Limits]) =>
			Object.entries(units).map(([unit, value]) => `${scope} ${value} ${WORDS[unit as keyof Limits]}`),
		)
		.join(", ");
}
