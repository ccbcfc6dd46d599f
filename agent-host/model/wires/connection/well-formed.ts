/** The JSON of a request, without lone surrogates. */
export function writeWellFormed(value: unknown): string {
	const json = JSON.stringify(value);
	// JSON.stringify writes a lone surrogate as an escape, so one search tells that a long thread has none.
	return json.includes("\\ud") ? JSON.stringify(replaceLoneSurrogates(value)) : json;
}

/**
 * Replaces lone surrogates, which truncating a text can leave behind: many servers refuse such a request, and since the
 * text is sent again each time, they would refuse the thread permanently.
 */
export function replaceLoneSurrogates(value: unknown): unknown {
	if (typeof value === "string") return value.toWellFormed();
	// A long thread has a hundred thousand values, all of them well-formed: nothing is copied that stays as it is.
	if (typeof value !== "object" || value === null || isWellFormed(value)) return value;
	if (Array.isArray(value)) return value.map(replaceLoneSurrogates);
	return Object.fromEntries(
		Object.entries(value).map(([name, part]) => [name.toWellFormed(), replaceLoneSurrogates(part)]),
	);
}

function isWellFormed(value: object): boolean {
	for (const name in value) {
		if (!name.isWellFormed()) return false;
		const part: unknown = value[name as keyof typeof value];
		const isSound = typeof part === "string" ? part.isWellFormed() : !isObject(part) || isWellFormed(part);
		if (!isSound) return false;
	}
	return true;
}

function isObject(value: unknown): value is object {
	return typeof value === "object" && value !== null;
}
