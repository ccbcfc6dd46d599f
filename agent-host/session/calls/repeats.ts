import { digestValue } from "../../permissions/policy/policy.ts";
import type { CallTitle } from "../thread/call-title.ts";

/** A call and its result. */
export interface MadeCall extends CallTitle {
	readonly name: string;
	/** The model's text, JSON or not. */
	readonly arguments: string;
	/** The result without parts that differ every time, such as times and generated names. */
	readonly result: string;
	/** It may have changed something, so that another call can now give another result. */
	readonly mayChange: boolean;
}

export interface Repeat extends CallTitle {
	/** The next action: tell the model, or ask the user. */
	readonly due: "tell" | "ask";
	readonly name: string;
	readonly times: number;
}

/** At this many repetitions the model is told, once; at this many the user is asked. */
const TELL_AT = 3;
const ASK_AT = 5;

/** Number of steps looked back on: enough to notice four alternating calls, but not the rereading in a long run. */
const WINDOW = 20;

/** Notices when a turn keeps making the same call with the same result. */
export interface Repeats {
	/** Records a step. Returns a call that was repeated so often that something must be done. */
	readonly note: (calls: readonly MadeCall[]) => Repeat | undefined;
	/** Starts counting again. */
	readonly forget: () => void;
}

export function createRepeats(): Repeats {
	/** The calls of each step, whatever their result. */
	let made: readonly ReadonlySet<string>[] = [];
	/**
	 * The calls with their results, for each step since something new was done. Twice in one step counts once: the model
	 * had not seen the first result.
	 */
	let pairs: readonly ReadonlySet<string>[] = [];
	let warned: ReadonlySet<string> = new Set();
	const restart = (): void => {
		pairs = [];
		warned = new Set();
	};
	return {
		note: (calls) => {
			const named = calls.map((one) => {
				const call = digestCall(one);
				return { ...one, call, pair: digestValue([call, one.result]) };
			});
			// A new action is progress, after which looking at the same thing again is fine.
			if (named.some(({ mayChange, call }) => mayChange && countIn(made, call) === 0)) restart();
			made = [...made, new Set(named.map(({ call }) => call))].slice(-WINDOW);
			pairs = [...pairs, new Set(named.map(({ pair }) => pair))].slice(-WINDOW);
			const counted = named.map((one) => ({ ...one, times: countIn(pairs, one.pair) }));
			const found = counted
				.toSorted((a, b) => b.times - a.times)
				.find(({ times, pair }) => times >= ASK_AT || (times >= TELL_AT && !warned.has(pair)));
			if (found === undefined) return undefined;
			warned = new Set(warned).add(found.pair);
			const { name, title, titleSaid, times } = found;
			return { due: times >= ASK_AT ? "ask" : "tell", name, title, ...(titleSaid && { titleSaid }), times };
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

/** Key order and whitespace do not make a different call. */
function digestCall({ name, arguments: text }: MadeCall): string {
	return digestValue([name, parsed(text)]);
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}
