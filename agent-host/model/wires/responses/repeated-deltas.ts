/** Number of recent deltas that are remembered. */
const REMEMBERED = 256;

/**
 * Recognizes a delta that a server sends again: it has the number, the type and the text of an earlier one. Whole items
 * are distinguished by their index and id.
 */
export function createRepetitionFinder(): (message: object) => boolean {
	// Lists in place of objects, of which each delta would need one.
	const numbers: unknown[] = [];
	const types: unknown[] = [];
	const texts: unknown[] = [];
	let added = 0;
	let highest = Number.NEGATIVE_INFINITY;
	return (message) => {
		if (!("sequence_number" in message && "delta" in message && "type" in message)) return false;
		const { sequence_number: number, type, delta: text } = message;
		// Servers count upwards, so that a higher number is new without a search.
		const isHigher = typeof number === "number" && number > highest;
		if (isHigher) highest = number;
		else if (numbers.some((one, at) => one === number && types[at] === type && texts[at] === text)) return true;
		const at = added % REMEMBERED;
		numbers[at] = number;
		types[at] = type;
		texts[at] = text;
		added += 1;
		return false;
	};
}
