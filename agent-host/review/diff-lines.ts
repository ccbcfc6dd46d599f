import { numberLines } from "../patch/number-lines.ts";
import { finish, PIECE_LINES, type Pieces } from "../patch/pieces.ts";

/** Lines `from` to `to` of one text are replaced by lines `at` to `until` of another; 0-based, ends excluded. */
export interface Splice {
	readonly from: number;
	readonly to: number;
	readonly at: number;
	readonly until: number;
}

/**
 * Limit for differing lines; beyond it the rest counts as one change, because the search takes quadratic time in this
 * number.
 */
const MAX_DISTANCE = 1_000;
/** Comparison budget, beyond which the rest counts as one change: per line of each text, and a minimum. */
const STEPS_PER_LINE = 16;
const MIN_STEPS = 2_000_000;
/** Rounds of the search between two pieces of work. */
const PIECE_ROUNDS = 32;

/** The fewest removed and added lines that turn `a` into `b`, as ordered splices that do not touch each other. */
export function diffLines(a: readonly string[], b: readonly string[]): readonly Splice[] {
	return finish(diffInPieces(a, b));
}

export function* diffInPieces(a: readonly string[], b: readonly string[]): Pieces<readonly Splice[]> {
	const shorter = Math.min(a.length, b.length);
	let start = 0;
	while (start < shorter && a[start] === b[start]) {
		start += 1;
		if (start % PIECE_LINES === 0) yield;
	}
	let tail = 0;
	while (tail < shorter - start && a[a.length - 1 - tail] === b[b.length - 1 - tail]) {
		tail += 1;
		if (tail % PIECE_LINES === 0) yield;
	}
	const [endA, endB] = [a.length - tail, b.length - tail];
	if (start === endA && start === endB) return [];
	const whole = { from: start, to: endA, at: start, until: endB };
	if (start === endA || start === endB) return [whole];
	const numbers = new Map<string, number>();
	const from = yield* numberLines(a.slice(start, endA), numbers);
	const to = yield* numberLines(b.slice(start, endB), numbers);
	return joinMoves(yield* walkBack(from, to), start) ?? [whole];
}

/** A removed (`a`) or added (`b`) line, with its place in both texts. */
interface Move {
	readonly x: number;
	readonly y: number;
	readonly kind: "a" | "b";
}

/** Myers' greedy search; undefined if the texts are too different. */
function* walkBack(a: Int32Array, b: Int32Array): Pieces<readonly Move[] | undefined> {
	let left = MIN_STEPS + STEPS_PER_LINE * (a.length + b.length);
	const most = Math.min(MAX_DISTANCE, a.length + b.length);
	const middle = most + 1;
	/** The furthest position in `a` on each diagonal. */
	const reach = new Int32Array(2 * most + 3);
	const rounds: Int32Array[] = [];
	for (let distance = 0; distance <= most; distance += 1) {
		rounds.push(reach.slice(middle - distance - 1, middle + distance + 2));
		for (let k = -distance; k <= distance; k += 2) {
			const at = middle + k;
			let x = takesLineOfB(reach, at, k, distance) ? (reach[at + 1] ?? 0) : (reach[at - 1] ?? 0) + 1;
			const before = x;
			while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
			reach[at] = x;
			left -= 1 + x - before;
			if (x >= a.length && x - k >= b.length) return readMoves(rounds, a.length, b.length);
		}
		if (left < 0) return undefined;
		if (distance % PIECE_ROUNDS === 0) yield;
	}
	return undefined;
}

/** Whether the best path to a diagonal takes a line of `b`. */
function takesLineOfB(reach: Int32Array, at: number, k: number, distance: number): boolean {
	return k === -distance || (k !== distance && (reach[at - 1] ?? 0) < (reach[at + 1] ?? 0));
}

function readMoves(rounds: readonly Int32Array[], endX: number, endY: number): readonly Move[] {
	const moves: Move[] = [];
	let [x, y] = [endX, endY];
	for (let distance = rounds.length - 1; distance > 0; distance -= 1) {
		const reach = rounds[distance] ?? new Int32Array();
		const at = x - y + distance + 1;
		const isDown = takesLineOfB(reach, at, x - y, distance);
		const k = x - y + (isDown ? 1 : -1);
		x = reach[at + (isDown ? 1 : -1)] ?? 0;
		y = x - k;
		moves.push({ x, y, kind: isDown ? "b" : "a" });
	}
	return moves.toReversed();
}

function joinMoves(moves: readonly Move[] | undefined, start: number): readonly Splice[] | undefined {
	const splices: { from: number; to: number; at: number; until: number }[] = [];
	for (const { x, y, kind } of moves ?? []) {
		let last = splices.at(-1);
		if (last === undefined || last.to !== x + start || last.until !== y + start) {
			last = { from: x + start, to: x + start, at: y + start, until: y + start };
			splices.push(last);
		}
		if (kind === "a") last.to += 1;
		else last.until += 1;
	}
	return moves === undefined ? undefined : splices;
}
