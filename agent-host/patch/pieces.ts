/** Work in pieces of a few milliseconds: the caller may do something else at each `yield`. */
export type Pieces<T> = Generator<undefined, T, undefined>;

/** Lines processed between two pieces. */
export const PIECE_LINES = 8_192;

/** Does all of the work at once. */
export function finish<T>(work: Pieces<T>): T {
	let step = work.next();
	while (!step.done) step = work.next();
	return step.value;
}

/** Lets other tasks run between two pieces, and stops when the signal aborts. */
export async function finishInPieces<T>(work: Pieces<T>, signal?: AbortSignal): Promise<T> {
	let step = work.next();
	while (!step.done) {
		await new Promise(setImmediate);
		signal?.throwIfAborted();
		step = work.next();
	}
	return step.value;
}
