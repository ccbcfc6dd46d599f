/** Shorter lists are folded as fast as they are compared. */
const MIN_ITEMS = 256;

/**
 * A fold over a list that mostly grows at its end, such as a conversation: only what was added since the last call is
 * visited. What was visited is compared item by item, by identity; a list that differs anywhere is folded from its
 * start. Lists that begin with the same item share one result, so it is valid only until the next call.
 */
export function foldGrowing<T extends object, S>(
	start: () => S,
	add: (sum: S, item: T, index: number, items: readonly T[]) => S,
	/** Fewer, if an item can take longer than comparing many. */
	minItems = MIN_ITEMS,
): (items: readonly T[]) => S {
	const known = new WeakMap<T, { readonly seen: T[]; sum: S }>();
	const foldFrom = (from: number, sum: S, items: readonly T[]): S => {
		let result = sum;
		for (let index = from; index < items.length; index += 1) result = add(result, items[index] as T, index, items);
		return result;
	};
	return (items) => {
		const first = items[0];
		if (first === undefined || items.length < minItems) return foldFrom(0, start(), items);
		const before = known.get(first);
		if (before !== undefined && beginsWith(items, before.seen)) {
			const from = before.seen.length;
			before.sum = foldFrom(from, before.sum, items);
			for (let index = from; index < items.length; index += 1) before.seen.push(items[index] as T);
			return before.sum;
		}
		const sum = foldFrom(0, start(), items);
		known.set(first, { seen: [...items], sum });
		return sum;
	};
}

function beginsWith<T>(items: readonly T[], seen: readonly T[]): boolean {
	if (items.length < seen.length) return false;
	for (let index = 0; index < seen.length; index += 1) if (items[index] !== seen[index]) return false;
	return true;
}
