// Approximates a modern tokenizer without its table: words with the preceding space or mark, numbers in groups of
// three, runs of punctuation, indentation as one token, other scripts by character. The weights are fitted to recorded
// counts (test/unit/history/token-corpus.json) and are accurate within 15 %.

/** Letters of a word that form one token; the rest of a longer word is split. */
const WHOLE_WORD = 8;
const LETTERS_PER_PIECE = 6;
/** Unbroken text of at least this length may be base64, a hash or a key instead of words. */
const BLOB_LENGTH = 16;
const BLOB_CHARS_PER_TOKEN = { mixed: 1.46, lower: 1.72 };
/** How far a blob is followed across joining characters, so that time stays linear. */
const BLOB_REACH = 64;
/** A blob switches between lower case, upper case and digits at least once in this many characters. */
const BLOB_CHANGE_EVERY = 4;

/** Tokens of an image of any size: about what providers charge for a screenshot. */
export const IMAGE_TOKENS = 1_844;

/** Tokens per UTF-16 unit of non-ASCII scripts, by their last code unit. */
const SCRIPTS: readonly (readonly [last: number, tokens: number])[] = [
	[0x24f, 0.45],
	[0x36f, 1],
	[0x3ff, 0.46],
	[0x52f, 0.31],
	[0x58f, 0.6],
	[0x5ff, 0.45],
	[0x6ff, 0.36],
	[0x8ff, 0.5],
	[0xdff, 0.4],
	[0x10ff, 0.6],
	[0x1fff, 0.6],
	[0x2fff, 0.95],
	[0x30ff, 0.8],
	[0xabff, 0.84],
	[0xd7af, 0.76],
	[0xdfff, 0.85],
	[0xffff, 0.8],
];

/** Estimated tokens of a text, within 15 % of a real tokenizer for text of some length. Linear time. */
export function estimateTokens(text: string): number {
	let tokens = 0;
	for (let start = 0; start < text.length; ) {
		const kind = classify(text.charCodeAt(start));
		let end = start + 1;
		if (kind === "word") {
			const run = measureRun(text, start);
			tokens += run.tokens;
			end = run.end;
		} else {
			while (end < text.length && classify(text.charCodeAt(end)) === kind) end += 1;
			tokens += costOfRun(text, start, end, kind);
		}
		start = end;
	}
	return Math.ceil(tokens);
}

/** A space before a number, which has most. */
const MOST_TOKENS_PER_CHAR = 1 + 1 / 80;

/** At least as many as `estimateTokens` of any text of that length. */
export function mostTokens(chars: number): number {
	return Math.ceil(chars * MOST_TOKENS_PER_CHAR);
}

type Kind = "word" | "space" | "break" | "mark" | "other";

function classify(code: number): Kind {
	if (isLower(code) || isUpper(code) || isDigit(code)) return "word";
	if (code === 32 || code === 9) return "space";
	if (code === 10 || code === 13) return "break";
	return code < 0x80 ? "mark" : "other";
}

function costOfRun(text: string, start: number, end: number, kind: Exclude<Kind, "word">): number {
	const next = text.charCodeAt(end);
	const length = end - start;
	switch (kind) {
		case "space":
			// The last space belongs to the following word or mark; numbers take none.
			return isDigit(next) || Number.isNaN(next) ? 1 + length / 80 : Math.min(1, length - 1) + length / 80;
		case "break":
			// Punctuation includes the following line end.
			return start > 0 && classify(text.charCodeAt(start - 1)) === "mark" ? 0.25 : 1;
		case "mark":
			if (length === 1 && isLetter(next)) return isLetter(text.charCodeAt(end + 2)) ? 0.38 : 0.08;
			if (length === 1) return 1;
			return isOneMark(text, start, end) ? 1 + length / 16 : 1 + (length - 1) * 0.3;
		case "other":
			return costOfScript(text, start, end);
	}
}

/** A run of letters and digits: words and numbers, or a blob. */
function measureRun(text: string, start: number): { readonly tokens: number; readonly end: number } {
	let words = 0;
	let changes = 0;
	let joints = 0;
	let capitals = 0;
	let end = start;
	// A blob continues across joining characters; words end there.
	let wordsEnd = -1;
	for (; end < text.length; ) {
		const code = text.charCodeAt(end);
		if (isJoint(code)) {
			if (wordsEnd < 0) wordsEnd = end;
			if (end - start >= BLOB_REACH || !isWordAt(text, end + 1)) break;
			joints += 1;
			end += 1;
			continue;
		}
		const piece = pieceEnd(text, end, code);
		if (piece === end) break;
		if (wordsEnd < 0) words += costOfPiece(text, end, piece);
		if (isUpper(code)) capitals += 1;
		changes += 1;
		end = piece;
	}
	const length = end - start;
	if (length >= BLOB_LENGTH && changes * BLOB_CHANGE_EVERY >= length - joints) {
		const rate = capitals > 0 ? BLOB_CHARS_PER_TOKEN.mixed : BLOB_CHARS_PER_TOKEN.lower;
		return { tokens: (length - joints) / rate + joints * 0.8, end };
	}
	return { tokens: words, end: wordsEnd < 0 ? end : wordsEnd };
}

/** The end of the digits, or of the upper- and lower-case letters, that begin here. */
function pieceEnd(text: string, start: number, code: number): number {
	let end = start;
	if (isDigit(code)) {
		while (isDigit(text.charCodeAt(end))) end += 1;
		return end;
	}
	while (isUpper(text.charCodeAt(end))) end += 1;
	while (isLower(text.charCodeAt(end))) end += 1;
	return end;
}

function costOfPiece(text: string, start: number, end: number): number {
	const length = end - start;
	if (isDigit(text.charCodeAt(start))) return Math.ceil(length / 3);
	const whole = isUpper(text.charCodeAt(end - 1)) ? WHOLE_WORD / 2 : WHOLE_WORD;
	return 1 + Math.max(0, length - whole) / LETTERS_PER_PIECE;
}

function costOfScript(text: string, start: number, end: number): number {
	let tokens = 0;
	let script = 0;
	for (let index = start; index < end; index += 1) {
		const code = text.charCodeAt(index);
		// Neighbouring characters are mostly of one script, so the search continues from the last result.
		if (script > 0 && code <= (SCRIPTS[script - 1]?.[0] ?? 0)) script = 0;
		while (code > (SCRIPTS[script]?.[0] ?? 0xffff)) script += 1;
		tokens += SCRIPTS[script]?.[1] ?? 1;
	}
	return tokens;
}

function isOneMark(text: string, start: number, end: number): boolean {
	for (let index = start + 1; index < end; index += 1) if (text[index] !== text[start]) return false;
	return true;
}

function isWordAt(text: string, index: number): boolean {
	const code = text.charCodeAt(index);
	return isLower(code) || isUpper(code) || isDigit(code);
}

function isLetter(code: number): boolean {
	return isLower(code) || isUpper(code);
}

function isLower(code: number): boolean {
	return code >= 97 && code <= 122;
}

function isUpper(code: number): boolean {
	return code >= 65 && code <= 90;
}

function isDigit(code: number): boolean {
	return code >= 48 && code <= 57;
}

/** Joining characters in base64, keys and ids: + / - _ */
function isJoint(code: number): boolean {
	return code === 43 || code === 47 || code === 45 || code === 95;
}
