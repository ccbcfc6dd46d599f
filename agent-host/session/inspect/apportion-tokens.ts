/** The same items with estimates that add up to `total`, in proportion to the ones they had. */
export function apportionTokens<T extends { readonly tokens: number }>(items: readonly T[], total: number): T[] {
	const sum = items.reduce((all, { tokens }) => all + tokens, 0);
	if (sum === 0) return [...items];
	let before = 0;
	let given = 0;
	return items.map((item) => {
		before += item.tokens;
		// Rounding the running total instead of each share loses no token.
		const until = Math.round((before / sum) * total);
		const tokens = until - given;
		given = until;
		return { ...item, tokens };
	});
}
