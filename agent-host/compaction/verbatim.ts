/** Each tag is alone on an unindented line. Persisted in histories: never renamed. */
export const REQUEST_START = "<VERBATIM_REQUEST_START>";
export const REQUEST_END = "<VERBATIM_REQUEST_END>";
export const RECENT_START = "<RECENT_USER_CONTEXT_START>";
export const RECENT_END = "<RECENT_USER_CONTEXT_END>";

/** How much of a request is shown if it cannot be quoted whole. */
export const SHOWN_TOKENS = 80;

/** The content of a model's intent message: the two quotes and its text around them. */
export interface QuotedIntent {
	readonly request: string;
	readonly recent: string;
	readonly ownWords: string;
}

/**
 * Finds the two blocks. The quoted text may itself contain tags, so the end is where the record matches, otherwise the
 * first end tag.
 */
export function readIntent(text: string, record: readonly string[]): QuotedIntent | { readonly missing: string } {
	const lines = text.split("\n");
	const request = findBlock(lines, REQUEST_START, REQUEST_END, (from, ends) => endOfQuoted(lines, from, ends, record));
	if (request === undefined) return { missing: `${REQUEST_START} … ${REQUEST_END}` };
	const rest = [...lines.slice(0, request.from), ...lines.slice(request.to)];
	const recent = findBlock(rest, RECENT_START, RECENT_END, (_, ends) => ends.at(-1));
	if (recent === undefined) return { missing: `${RECENT_START} … ${RECENT_END}` };
	const own = [...rest.slice(0, recent.from), ...rest.slice(recent.to)].join("\n").trim();
	return { request: request.quote, recent: recent.quote, ownWords: own };
}

/** The intent as the host writes it, with all quotes from its own record. */
export function writeIntent(request: string, recent: readonly string[]): string {
	return [
		"The request behind the work in progress, verbatim:",
		REQUEST_START,
		request,
		REQUEST_END,
		"The user's other recent messages, oldest first, verbatim:",
		RECENT_START,
		...(recent.length === 0 ? [] : [recent.join("\n\n")]),
		RECENT_END,
	].join("\n");
}

/** Prevents text that does not come from the user from containing a line that looks like one of the four tags. */
export function withoutQuoteTags(text: string): string {
	return text.replaceAll(/<(?=(?:VERBATIM_REQUEST|RECENT_USER_CONTEXT)_(?:START|END)>)/g, "&lt;");
}

/**
 * The recorded message that a quote refers to: an exact match, otherwise the most similar one if it is similar enough.
 */
export function matchQuote(quote: string, record: readonly string[]): string | undefined {
	if (record.includes(quote)) return quote;
	const wanted = countPairs(quote);
	let best: { readonly text: string; readonly score: number } | undefined;
	for (const text of record) {
		const score = similarity(wanted, countPairs(text));
		// If two are equally similar, take the newer one.
		if (score >= ENOUGH && score >= (best?.score ?? 0)) best = { text, score };
	}
	return best?.text;
}

const ENOUGH = 0.6;
/** Only the beginning and the end of a message are compared, up to this many characters. */
const COMPARED_CHARS = 500;

function findBlock(
	lines: readonly string[],
	start: string,
	end: string,
	choose: (from: number, ends: readonly number[]) => number | undefined,
): { readonly quote: string; readonly from: number; readonly to: number } | undefined {
	const from = lines.indexOf(start);
	if (from < 0) return undefined;
	const ends = lines.flatMap((line, index) => (line === end && index > from ? [index] : []));
	const to = choose(from, ends) ?? ends[0];
	return to === undefined ? undefined : { quote: lines.slice(from + 1, to).join("\n"), from, to: to + 1 };
}

/** The first end tag directly after a recorded message. A message's line count allows only one end. */
function endOfQuoted(
	lines: readonly string[],
	from: number,
	ends: readonly number[],
	record: readonly string[],
): number | undefined {
	const known = new Set(ends);
	const fitting = [...new Set(record)].filter((message) => {
		const wanted = message.split("\n");
		return known.has(from + 1 + wanted.length) && wanted.every((line, index) => line === lines[from + 1 + index]);
	});
	const found = fitting.map((message) => from + 1 + message.split("\n").length);
	return ends.find((end) => found.includes(end));
}

function countPairs(text: string): ReadonlyMap<string, number> {
	const compared =
		text.length <= 2 * COMPARED_CHARS ? text : text.slice(0, COMPARED_CHARS) + text.slice(-COMPARED_CHARS);
	const plain = compared.toLowerCase().replaceAll(/\s+/g, " ").trim();
	const pairs = new Map<string, number>();
	for (let index = 0; index < plain.length - 1; index += 1) {
		const pair = plain.slice(index, index + 2);
		pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
	}
	return pairs;
}

// Sørensen–Dice over pairs of characters: 1 for the same text, 0 for none in common.
function similarity(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
	let shared = 0;
	for (const [pair, count] of a) shared += Math.min(count, b.get(pair) ?? 0);
	const all = [...a.values(), ...b.values()].reduce((sum, count) => sum + count, 0);
	return all === 0 ? 0 : (2 * shared) / all;
}
