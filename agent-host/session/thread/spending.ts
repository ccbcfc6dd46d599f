import type { Identity, TurnEnvelope } from "../../envelope/envelope.ts";
import { ModelFailure } from "../../model/port.ts";
import { localDate } from "../../platform/time-zone.ts";
import { say } from "../../protocol/say.ts";
import type { ReachedLimit, Spent, SpentSoFar, TokenCount } from "../../protocol/thread/events.ts";
import { describeReached, findStop } from "../../spending/limits.ts";
import { findPrice } from "../../spending/prices.ts";
import { addSpent, computeCost, NOTHING_SPENT, roundMinutes, spentOn } from "../../spending/spent.ts";
import type { ThreadState } from "../../store/records/thread-state.ts";
import type { Ports } from "../ports/ports.ts";

/** A turn ended at one of the user's limits. */
export class LimitReached extends ModelFailure {
	readonly limit: ReachedLimit;

	constructor(limit: ReachedLimit) {
		super("budget", describeReached(limit), { retryable: false });
		this.limit = limit;
	}
}

/** Counts a turn's spending against the limits it was sealed with. */
export interface Spending {
	/** Counts the next request, or throws the limit that prevents it. */
	readonly beforeRequest: (model: ModelAsked) => Promise<void>;
	/** The same for a request of a sub-agent, which counts for this turn, too. */
	readonly beforeRequestBelow: (model: ModelAsked) => Promise<void>;
	/** Counts an answer; returns its cost if the price is known. */
	readonly take: (usage: TokenCount, model: ModelAsked) => Promise<number | undefined>;
	/** Adds an amount that was counted elsewhere and now belongs to this thread. */
	readonly adopt: (spent: Spent) => Promise<void>;
	readonly soFar: () => SpentSoFar;
	/** Saves the time since the last request. */
	readonly end: () => Promise<void>;
}

export interface ModelAsked {
	readonly identity: Identity;
	/** Another model of the same server, if one was chosen for the purpose. */
	readonly model?: string | undefined;
}

/** What surrounds a turn's spending. */
export interface SpendingPlace {
	/** The spending of the turn that this sub-agent works for: its limits hold for all of them together. */
	readonly above?: Pick<Spending, "beforeRequestBelow" | "adopt"> | undefined;
	/** The same of a running turn that a side question counts for; its limits keep their own names. */
	readonly beside?: SpendingPlace["above"];
	/**
	 * Writes down what others have spent for this turn. Its own answers are recorded anyway; theirs would be lost with a
	 * host that dies before the next of its own.
	 */
	readonly note?: ((soFar: () => SpentSoFar) => Promise<void>) | undefined;
}

const MINUTE_MS = 60_000;
const ONE_REQUEST: Spent = { ...NOTHING_SPENT, requests: 1 };

export function createSpending(
	{ identity, workspace }: Pick<TurnEnvelope, "identity" | "workspace">,
	/** The thread before this turn. */
	{ spent, total }: Pick<ThreadState, "spent" | "total">,
	{ now, dailySpending }: Pick<Ports, "now" | "dailySpending">,
	{ above, beside, note }: SpendingPlace = {},
): Spending {
	const counting = above ?? beside;
	const before = spent ?? { ...NOTHING_SPENT, tokens: total?.total ?? 0 };
	const { agent } = identity;
	const limits = agent === undefined ? { ...identity.limits, agent: {} } : identity.limits;
	const startedAt = now();
	let counted = NOTHING_SPENT;
	let savedMinutes = 0;
	const minutes = (): number => roundMinutes(Math.max(0, now() - startedAt) / MINUTE_MS);
	const turn = (): Spent => ({ ...counted, minutes: roundMinutes(counted.minutes + minutes()) });
	const save = (spent: Spent): Promise<void> => {
		// A clock may be set back; what was spent still counts.
		const passed = Math.max(savedMinutes, minutes());
		// The turn above, or beside, lasts as long as this one: the time counts once.
		const line = { ...spent, minutes: counting === undefined ? roundMinutes(passed - savedMinutes) : 0 };
		savedMinutes = passed;
		if (isNothing(line)) return Promise.resolve();
		return dailySpending.add(today(), line);
	};
	const today = (): string => localDate(now(), workspace.timeZone);
	const count = (spent: Spent): Promise<void> => {
		counted = addSpent(counted, spent);
		return save(spent);
	};
	const ofDay = async (): Promise<Spent> => {
		if (Object.keys(identity.limits.day).length === 0) return NOTHING_SPENT;
		await save(NOTHING_SPENT);
		return dailySpending.total(today()).catch((error: unknown) => {
			throw new ModelFailure("storage", say("day-unreadable", { reason: (error as Error).message }), {
				retryable: false,
			});
		});
	};
	/** Between the check and the count nothing else runs, so that requests side by side do not pass a limit. */
	const check = async (asked: ModelAsked): Promise<void> => {
		const day = await ofDay();
		const spent = { turn: turn(), thread: addSpent(before, turn()), day, agent: turn() };
		const stop = findStop(limits, spent, priceFor(asked));
		if (stop?.kind === "reached") throw new LimitReached(stop.limit);
		if (stop?.kind === "unpriced") {
			throw new ModelFailure("budget", say("limit-unpriced", { model: modelName(asked) }), { retryable: false });
		}
		counted = addSpent(counted, ONE_REQUEST);
	};
	const checkAbove = async (asked: ModelAsked): Promise<void> => {
		await counting?.beforeRequestBelow(asked).catch((error: unknown) => {
			throw above !== undefined && error instanceof LimitReached
				? new LimitReached({ ...error.limit, scope: "tree" })
				: error;
		});
	};
	/** Counted here and above, or nowhere. */
	const countRequest = async (asked: ModelAsked): Promise<void> => {
		await check(asked);
		await checkAbove(asked).catch((error: unknown) => {
			counted = addSpent(counted, { ...NOTHING_SPENT, requests: -1 });
			throw error;
		});
	};
	const soFar = (): SpentSoFar => ({ turn: turn(), thread: addSpent(before, turn()) });
	return {
		async beforeRequest(asked) {
			await countRequest(asked);
			await save(ONE_REQUEST);
		},
		async beforeRequestBelow(asked) {
			await countRequest(asked);
			await note?.(soFar);
		},
		async take(usage, asked) {
			const price = priceFor(asked);
			const spent = spentOn(usage, price);
			await Promise.all([counting?.adopt(spent), count(spent)]);
			return price === undefined ? undefined : computeCost(usage, price);
		},
		async adopt(spent) {
			counted = addSpent(counted, spent);
			await Promise.all([counting?.adopt(spent), note?.(soFar)]);
		},
		soFar,
		end: () => save(NOTHING_SPENT),
	};
}

function modelName({ identity, model }: ModelAsked): string {
	return model ?? identity.model;
}

function priceFor(asked: ModelAsked): ReturnType<typeof findPrice> {
	return findPrice(asked.identity, modelName(asked));
}

/** A day's file is added up, so that it needs no line of zeros. */
function isNothing(spent: Spent): boolean {
	return Object.values(spent).every((amount) => amount === 0);
}
