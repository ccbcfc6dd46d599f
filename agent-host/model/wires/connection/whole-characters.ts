/**
 * A body in which no text holds half a character, as cutting one at some length leaves behind: many servers refuse such a request, and
 * since what was said is sent again each time, they would refuse the thread for good.
 */
export function wholeCharacters(value: unknown): unknown {
	if (typeof value === "string") return value.toWellFormed();
	if (Array.isArray(value)) return value.map(wholeCharacters);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, wholeCharacters(part)]));
}
