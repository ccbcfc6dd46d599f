// Nearly every message of an answer has one part that says one thing. These make no list more for it.

/** What the parts of a list say, one after the other. */
export function readEach<T, S>(parts: readonly T[], read: (part: T) => readonly S[]): readonly S[] {
	const [only] = parts;
	return parts.length === 1 && only !== undefined ? read(only) : parts.flatMap(read);
}

/** Both lists, one after the other. */
export function joinLists<S>(first: readonly S[], next: readonly S[]): readonly S[] {
	if (first.length === 0) return next;
	return next.length === 0 ? first : [...first, ...next];
}
