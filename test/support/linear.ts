/** Characters of the longest worst case. */
const LONGEST = 100_000;
/** The same for work that takes a step of its own for each character: a hundred times longer, so that fewer tell as much. */
export const LONGEST_BY_STEPS = process.env.VITRINE_FULL === "1" ? LONGEST : 16_000;
/** How many times shorter the other one is: quadratic work takes as many times longer for each character of the long one. */
const TIMES = 16;
/** Between linear work, which takes as long for each character, and quadratic work. */
export const MOST_GROWTH = 8;

const ROUNDS = 200;
/** What one measurement takes at least: shorter ones say more of the clock than of the work. */
const MEASURED_MS = 0.5;

/**
 * How many times longer the work takes for each character of a long input than of a short one. Both are measured in turn, the short
 * one until the clock can tell and the long one for at least as many characters, and the best of all rounds counts. No more rounds
 * once the answer is clear: none makes quadratic work quick.
 */
export function growthOf<T>(
	make: (chars: number) => T,
	work: (input: T) => unknown,
	longest: number = LONGEST,
): number {
	const [short, long] = [make(longest / TIMES), make(longest)];
	const repeats = countRepeats(() => work(short));
	const best = { short: Number.POSITIVE_INFINITY, long: Number.POSITIVE_INFINITY };
	const growth = () => best.long / (best.short * TIMES);
	const longRepeats = Math.ceil(repeats / TIMES);
	const measureShort = () => {
		best.short = Math.min(best.short, measure(() => work(short), repeats) / repeats);
	};
	for (let round = 0; round < ROUNDS && !(growth() < MOST_GROWTH); round += 1) {
		measureShort();
		best.long = Math.min(best.long, measure(() => work(long), longRepeats) / longRepeats);
		// Once more, now that the long one has warmed the code up: a slow short one would hide growth.
		measureShort();
	}
	return growth();
}

/** Also warms up: compiling an expression belongs to neither length. */
function countRepeats(work: () => unknown): number {
	let repeats = 1;
	while (measure(work, repeats) < MEASURED_MS) repeats *= 2;
	return repeats;
}

function measure(work: () => unknown, repeats: number): number {
	const began = performance.now();
	for (let count = 0; count < repeats; count += 1) work();
	return performance.now() - began;
}
