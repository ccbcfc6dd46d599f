/** Number of recent deltas that are remembered. */
const REMEMBERED = 256;

interface Delta {
	readonly number: unknown;
	readonly type: unknown;
	readonly text: unknown;
}

/**
 * Recognizes a delta that a server sends again: it has the number, the type and the text of an earlier one. Whole items
 * are distinguished by their index and id.
 */
export function createRepetitionFinder(): (message: object) => boolean {
	const recent: Delta[] = [];
	let added = 0;
	let highest = Number.NEGATIVE_INFINITY;
	return (message) => {
		if (!("sequence_number" in message && "delta" in message && "type" in message)) return false;
		const { sequence_number: number, type, delta: text } = message;
		// Servers count upwards, so that a higher number is new without a search.
		const isHigher = typeof number === "number" && number > highest;
		if (isHigher) highest = number;
		else if (recent.some((one) => one.number === number && one.type === type && one.text === text)) return true;
		recent[added % REMEMBERED] = { number, type, text };
		added += 1;
		return false;
	};
}
