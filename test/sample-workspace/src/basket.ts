export interface Line {
	readonly article: string;
	readonly pieces: number;
	/** Price of one piece, in cents. */
	readonly cents: number;
}

const DISCOUNT_FROM = 10;
const DISCOUNT_PERCENT = 10;

/** What the lines cost together, in cents, with the discount taken off. */
export function totalOf(lines: readonly Line[]): number {
	return lines.reduce((sum, line) => sum + priceOf(line), 0);
}

/** From the tenth piece on, an article costs ten per cent less. */
export function priceOf({ pieces, cents }: Line): number {
	const full = pieces * cents;
	return pieces > DISCOUNT_FROM ? full - Math.round((full * DISCOUNT_PERCENT) / 100) : full;
}
