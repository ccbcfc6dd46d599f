import { estimateTokens } from "../history/tokens.ts";
import type { TurnId } from "../protocol/ids.ts";
import type { Item } from "../protocol/thread/item.ts";

/** The content of a turn, one text per item. */
export interface SaidInTurn {
	readonly turnId: TurnId;
	readonly texts: readonly string[];
}

/** Characters shown on either side of a match. */
const AROUND_CHARS = 300;
const MAX_TITLE_CHARS = 160;

/** An item as readable text; undefined if the model never saw it. */
export function toText(item: Item): string | undefined {
	switch (item.kind) {
		case "userMessage":
			return item.messageKind === "plain" ? `The user: ${item.text}` : undefined;
		case "agentMessage":
			return `You: ${item.text}`;
		case "command":
		case "fileChange":
		case "plan":
		case "toolCall":
			return `Tool ${item.name} ${item.arguments}\n${item.output ?? ""}`;
		case "reasoning":
		case "contextCompaction":
		case "notice":
		case "hook":
			return undefined;
	}
}

/** One page of the dropped turns, by id and first line, beginning at a number. */
export function pageTurns(turns: readonly SaidInTurn[], from: number, tokens: number): string {
	const lines = turns.map(({ turnId, texts }) => `${turnId}: ${firstLine(texts[0] ?? "")}`);
	return page(lines, from, tokens, "turns");
}

/** One page of the matches in dropped turns, ignoring case, beginning at a number. */
export function pageMatches(turns: readonly SaidInTurn[], query: string, from: number, tokens: number): string {
	const wanted = query.toLowerCase();
	const matches = turns.flatMap(({ turnId, texts }) =>
		texts.flatMap((text) => {
			const at = text.toLowerCase().indexOf(wanted);
			if (at < 0) return [];
			const start = Math.max(0, at - AROUND_CHARS);
			const end = Math.min(text.length, at + query.length + AROUND_CHARS);
			const shown = text.slice(start, end).toWellFormed();
			return [`[turn ${turnId}] ${start > 0 ? "…" : ""}${shown}${end < text.length ? "…" : ""}`];
		}),
	);
	return matches.length === 0 ? "No matches in the dropped turns." : page(matches, from, tokens, "matches");
}

/** One page of a turn's content, beginning at a character. */
export function pageTurn({ texts }: SaidInTurn, from: number, tokens: number): string {
	const whole = texts.join("\n\n");
	if (from > whole.length) return `This turn has only ${whole.length} characters.`;
	let end = Math.min(whole.length, from - 1 + tokens * 4);
	while (end > from && estimateTokens(whole.slice(from - 1, end)) > tokens) {
		end = from - 1 + Math.floor((end - from + 1) * 0.8);
	}
	// Do not split a surrogate pair.
	if (end < whole.length && isHighSurrogate(whole.charCodeAt(end - 1))) end += 1;
	const shown = whole.slice(from - 1, end);
	return end < whole.length
		? `${shown}\n[${whole.length - end} more characters; continue with from: ${end + 1}]`
		: shown;
}

function page(lines: readonly string[], from: number, tokens: number, name: string): string {
	const shown: string[] = [];
	let used = 0;
	for (const line of lines.slice(from - 1)) {
		used += estimateTokens(line) + 1;
		if (used > tokens && shown.length > 0) break;
		shown.push(line);
	}
	if (shown.length === 0) return `There are only ${lines.length} ${name}.`;
	const next = from + shown.length;
	const left = lines.length - next + 1;
	return left > 0 ? `${shown.join("\n")}\n[${left} more ${name}; continue with from: ${next}]` : shown.join("\n");
}

function isHighSurrogate(code: number): boolean {
	return code >= 0xd800 && code <= 0xdbff;
}

function firstLine(text: string): string {
	const line = text.split("\n")[0] ?? "";
	return line.length <= MAX_TITLE_CHARS ? line : `${line.slice(0, MAX_TITLE_CHARS).toWellFormed()}…`;
}
