/** A part of a text, by UTF-16 offsets. */
export interface Span {
	readonly start: number;
	readonly end: number;
}

/** The values of an object that begins at `at`, by key. The text must be valid JSON; of equal keys the last counts. */
export function memberSpans(text: string, at: number): ReadonlyMap<string, Span> {
	const members = new Map<string, Span>();
	let next = skipSpace(text, at + 1);
	while (text[next] === '"') {
		const keyEnd = skipString(text, next);
		const key = JSON.parse(text.slice(next, keyEnd)) as string;
		const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
		const end = skipValue(text, start);
		members.set(key, { start, end });
		next = skipComma(text, end);
	}
	return members;
}

/** The elements of an array that begins at `at`, and where its bracket closes. */
export function elementSpans(text: string, at: number): { readonly elements: readonly Span[]; readonly close: number } {
	const elements: Span[] = [];
	let next = skipSpace(text, at + 1);
	while (next < text.length && text[next] !== "]") {
		const end = skipValue(text, next);
		elements.push({ start: next, end });
		next = skipComma(text, end);
	}
	return { elements, close: next };
}

function skipSpace(text: string, at: number): number {
	let next = at;
	while (next < text.length && " \t\n\r".includes(text[next] ?? "")) next += 1;
	return next;
}

function skipComma(text: string, at: number): number {
	const next = skipSpace(text, at);
	return text[next] === "," ? skipSpace(text, next + 1) : next;
}

function skipString(text: string, at: number): number {
	let quote = text.indexOf('"', at + 1);
	while (quote >= 0 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
	return quote < 0 ? text.length : quote + 1;
}

function isEscaped(text: string, quote: number): boolean {
	let slashes = 0;
	while (text[quote - 1 - slashes] === "\\") slashes += 1;
	return slashes % 2 === 1;
}

/** Without recursion: a file can nest as deep as it likes. */
function skipValue(text: string, at: number): number {
	if (text[at] === '"') return skipString(text, at);
	if (text[at] !== "{" && text[at] !== "[") {
		let next = at;
		while (next < text.length && !",]} \t\n\r".includes(text[next] ?? "")) next += 1;
		return next;
	}
	let depth = 0;
	let next = at;
	while (next < text.length) {
		const character = text[next];
		if (character === '"') {
			next = skipString(text, next);
			continue;
		}
		if (character === "{" || character === "[") depth += 1;
		if (character === "}" || character === "]") depth -= 1;
		next += 1;
		if (depth === 0) break;
	}
	return next;
}
