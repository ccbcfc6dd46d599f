import { digestValue } from "../../permissions/policy/policy.ts";

/** A call that was made, with what it came to. */
export interface Made {
	readonly name: string;
	readonly title: string;
	/** The model's own words, JSON or not. */
	readonly arguments: string;
	/** What would be the same if nothing had changed: no times and no names made up for one run. */
	readonly result: string;
	/** It may have changed something, so that another call can give something else now. */
	readonly mayChange: boolean;
}

export interface Repeat {
	/** What is due: the model is to be told, or the user to be asked. */
	readonly due: "tell" | "ask";
	readonly name: string;
	readonly title: string;
	readonly times: number;
}

/** From so many on the model is told, once; from so many on the user is asked. */
const TELL_AT = 3;
const ASK_AT = 5;

/** Steps that are looked back on: enough to notice four calls that take turns, and none of the rereading in a long run. */
const WINDOW = 20;

/** Notices when a turn makes the same call with the same result again and again. */
export interface Repeats {
	/** Takes in a step. Gives a call that was repeated so often that something is due. */
	readonly note: (calls: readonly Made[]) => Repeat | undefined;
	/** From here on nothing was repeated yet. */
	readonly forget: () => void;
}

export function createRepeats(): Repeats {
	/** Calls of each step, whatever they came to. */
	let made: readonly ReadonlySet<string>[] = [];
	/** Calls with their results, of each step since something new was done. Twice in one step counts once: the model had not seen the first result. */
	let pairs: readonly ReadonlySet<string>[] = [];
	let told: ReadonlySet<string> = new Set();
	const restart = (): void => {
		pairs = [];
		told = new Set();
	};
	return {
		note: (calls) => {
			const named = calls.map((one) => ({ ...one, call: digestCall(one), pair: digestPair(one) }));
			// A new action is progress, after which the same thing may be looked at again.
			if (named.some(({ mayChange, call }) => mayChange && countIn(made, call) === 0)) restart();
			made = [...made, new Set(named.map(({ call }) => call))].slice(-WINDOW);
			pairs = [...pairs, new Set(named.map(({ pair }) => pair))].slice(-WINDOW);
			const counted = named.map((one) => ({ ...one, times: countIn(pairs, one.pair) }));
			const found = counted
				.toSorted((a, b) => b.times - a.times)
				.find(({ times, pair }) => times >= ASK_AT || (times >= TELL_AT && !told.has(pair)));
			if (found === undefined) return undefined;
			told = new Set(told).add(found.pair);
			const { name, title, times } = found;
			return { due: times >= ASK_AT ? "ask" : "tell", name, title, times };
		},
		forget: () => {
			made = [];
			restart();
		},
	};
}

function countIn(steps: readonly ReadonlySet<string>[], one: string): number {
	return steps.filter((step) => step.has(one)).length;
}

/** Neither the order of keys nor blanks between them make it another call. */
function digestCall({ name, arguments: text }: Made): string {
	return digestValue([name, parsed(text)]);
}

function digestPair(made: Made): string {
	return digestValue([digestCall(made), made.result]);
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}
