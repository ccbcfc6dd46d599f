import { estimateTokens } from "./tokens.ts";

/** Keeps head and tail of a text that is over its budget and says how much is missing between them. */
export function truncateMiddle(text: string, maxTokens: number): string {
	const tokens = estimateTokens(text);
	if (tokens <= maxTokens) return text;
	const keep = Math.floor((text.length * maxTokens) / tokens / 2);
	const head = text.slice(0, endOfWholeCharacter(text, keep));
	const tail = text.slice(startOfWholeCharacter(text, text.length - keep));
	const dropped = text.length - head.length - tail.length;
	return `${head}\n[… ${dropped} characters left out here; ask for a smaller part …]\n${tail}`;
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
