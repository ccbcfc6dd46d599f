import { estimateTokens } from "./tokens.ts";

/** Keeps the beginning and end of a text that exceeds its budget, and says how much is missing between them. */
export function truncateMiddle(text: string, maxTokens: number): string {
	const tokens = estimateTokens(text);
	if (tokens <= maxTokens) return text;
	const budget = maxTokens / 2;
	const likely = Math.floor((text.length * budget) / tokens);
	const head = shorten((chars) => text.slice(0, endOfWholeCharacter(text, chars)), likely, budget);
	const tail = shorten((chars) => text.slice(startOfWholeCharacter(text, text.length - chars)), likely, budget);
	const dropped = text.length - head.length - tail.length;
	return `${head}\n[… ${dropped} characters omitted; request a smaller part …]\n${tail}`;
}

/** A part within a token limit; a text may be denser at one end than on average. */
function shorten(cut: (chars: number) => string, likely: number, budget: number): string {
	let chars = likely;
	for (;;) {
		const part = cut(chars);
		const tokens = estimateTokens(part);
		if (tokens <= budget || part === "") return part;
		// Shrink by at least one character, so that the loop ends.
		chars = Math.min(part.length - 1, Math.floor((part.length * budget) / tokens));
	}
}

// A cut between the two halves of a surrogate pair would leave a lone surrogate, which some servers refuse.
function endOfWholeCharacter(text: string, index: number): number {
	return isHighSurrogate(text, index - 1) ? index - 1 : index;
}

function startOfWholeCharacter(text: string, index: number): number {
	return isHighSurrogate(text, index - 1) ? index + 1 : index;
}

function isHighSurrogate(text: string, index: number): boolean {
	const code = text.charCodeAt(index);
	return code >= 0xd800 && code <= 0xdbff;
}
