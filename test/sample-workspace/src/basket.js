/** @typedef {{ article: string, pieces: number, cents: number }} Line An article, its pieces and the price of one. */

const DISCOUNT_FROM = 10;
const DISCOUNT_PERCENT = 10;

/**
 * What the lines cost together, in cents, with the discount taken off.
 * @param {readonly Line[]} lines
 */
export function totalOf(lines) {
	return lines.reduce((sum, line) => sum + priceOf(line), 0);
}

/**
 * From the tenth piece on, an article costs ten per cent less.
 * @param {Line} line
 */
export function priceOf({ pieces, cents }) {
	const full = pieces * cents;
	return pieces > DISCOUNT_FROM ? full - Math.round((full * DISCOUNT_PERCENT) / 100) : full;
}
