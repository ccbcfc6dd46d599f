/** Characters of the longest worst case. */
const LONGEST = 100_000;
/** How many times shorter the other one is: quadratic work takes as many times longer for each character of the long one. */
const TIMES = 16;
/** Between linear work, which takes as long for each character, and quadratic work. */
export const MOST_GROWTH = 8;

const ROUNDS = 25;
/** What one measurement takes at least: shorter ones say more of the clock than of the work. */
const MEASURED_MS = 0.5;

/**
 * How many times longer the work takes for a long input than for short ones of as many characters together. Both are measured in
 * turn and the best of all rounds counts: they take equally long when the work is linear, so a busy machine slows both alike. No
 * more rounds once the answer is clear: none makes quadratic work quick.
 */
export function growthOf<T>(make: (chars: number) => T, work: (input: T) => unknown): number {
	const [short, long] = [make(LONGEST / TIMES), make(LONGEST)];
	const repeats = countRepeats(() => work(short));
	const best = { short: Number.POSITIVE_INFINITY, long: Number.POSITIVE_INFINITY };
	for (let round = 0; round < ROUNDS && !(best.long / best.short < MOST_GROWTH); round += 1) {
		best.short = Math.min(
			best.short,
			measure(() => work(short), repeats * TIMES),
		);
		best.long = Math.min(
			best.long,
			measure(() => work(long), repeats),
		);
	}
	return best.long / best.short;
}

/** Also warms up: compiling an expression belongs to neither length. */
function countRepeats(work: () => unknown): number {
	let repeats = 1;
	while (measure(work, repeats * TIMES) < MEASURED_MS) repeats *= 2;
	return repeats;
}

function measure(work: () => unknown, repeats: number): number {
	const began = performance.now();
	for (let count = 0; count < repeats; count += 1) work();
	return performance.now() - began;
}
