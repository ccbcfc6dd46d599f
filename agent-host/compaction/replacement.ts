import { compactedContext, compactedIntent, historyBridge } from "../context/fragments/compacted.ts";
import { escapeMarkers } from "../context/tags.ts";
import { asHistoryItem, type HistoryItem } from "../history/history-item.ts";
import { estimateTokens } from "../history/tokens.ts";
import type { CompactionReport } from "../protocol/thread/compaction.ts";
import { chooseMessages, type KeptMessage, RECENT_MESSAGES } from "./choose.ts";
import { makeMark } from "./compaction-words.ts";
import { cutToFit } from "./cut-to-fit.ts";
import { fitImages, listImages } from "./images.ts";
import { historyTokens, itemTokens } from "./measure.ts";
import type { CompactionPlan } from "./plan-compaction.ts";
import { type CheckedSummary, resumeLine } from "./summary-contract.ts";
import { SHOWN_TOKENS, withoutQuoteTags, writeIntent } from "./verbatim.ts";

/** The items that replace the covered ones, and the report for the user. */
export interface Replacement {
	readonly items: readonly HistoryItem[];
	readonly report: Pick<CompactionReport, "strategy" | "turns" | "verbatim" | "dropped" | "summary" | "repaired">;
}

const SHOWN_CHARS = 300;
/** Tokens that a summary takes besides its text. */
const AROUND_SUMMARY = 40;
/**
 * The fragment that holds the quotes would cut them beyond this total length; further quotes stay separate messages.
 */
const MAX_QUOTE_CHARS = 200_000;

/** Kept user messages, the intent, the bridge, and the summary last. */
export function replaceBySummary(plan: CompactionPlan, summary: CheckedSummary): Replacement {
	const kept = chooseMessages(plan, summary.request, summary.recent);
	const words = keptAndIntent(plan, kept, summary.request, summary.recent);
	const bridge = asHistoryItem(historyBridge.of({ turns: plan.allTurns, how: "summarised" }));
	const left = plan.room.hard - historyTokens([...words, bridge]) - AROUND_SUMMARY;
	const text = boundSummary(summary, Math.min(plan.room.summary, left));
	const items = withImages(plan, summary.request, words, [bridge, asHistoryItem(compactedContext.of({ text }))]);
	const { repaired } = summary;
	return { items, report: { ...reportOn(plan, items, kept), strategy: "structured", summary: text, repaired } };
}

/** True for what stands for everything before it. */
export function isSummary(item: HistoryItem): boolean {
	return item.kind === "sealedSummary" || (item.kind === "fragment" && item.fragment === compactedContext.kind);
}

/** The last resort when nothing else fits: only the user's messages. */
export function replaceByWords(plan: CompactionPlan, request: string): Replacement {
	const kept = chooseMessages(plan, request, []);
	const items = withImages(plan, request, keptAndIntent(plan, kept, request, []), [
		asHistoryItem(historyBridge.of({ turns: plan.allTurns, how: "trimmed" })),
	]);
	return { items, report: { ...reportOn(plan, items, kept), strategy: "deterministic", summary: "", repaired: 0 } };
}

/** The report for the user: kept messages, and what the model no longer sees. */
export function reportOn(
	plan: CompactionPlan,
	items: readonly HistoryItem[],
	kept: readonly KeptMessage[],
): Pick<CompactionReport, "turns" | "verbatim" | "dropped"> {
	const stays = new Set(items);
	const words = new Set(kept.map(({ original }) => original));
	const gone = plan.covered.filter(
		(item) => !stays.has(item) && !(item.kind === "userMessage" && words.has(item.text)),
	);
	return {
		turns: plan.turns,
		verbatim: kept.map(({ original, text }) => ({
			text: original.slice(0, SHOWN_CHARS).toWellFormed(),
			tokens: estimateTokens(text),
			...(text === original ? {} : { cut: true }),
		})),
		dropped: [...Map.groupBy(gone, kindOf)].map(([kind, group]) => ({
			kind,
			count: group.length,
			tokens: group.reduce((sum, item) => sum + itemTokens(item), 0),
		})),
	};
}

/** Images of the active request and of the newest turn are kept if they fit. */
export function withImages(
	{ covered, asked, room }: CompactionPlan,
	request: string,
	words: readonly HistoryItem[],
	rest: readonly HistoryItem[],
): readonly HistoryItem[] {
	const images = listImages(covered, [request, ...asked]);
	return [...words, ...fitImages(images, room.soft - historyTokens([...words, ...rest])), ...rest];
}

/** A message that is kept beside the quotes, with its mark. */
export function asMessage(text: string, kept: UserMessage["kept"]): UserMessage {
	return { kind: "userMessage", text, kept };
}

type UserMessage = Extract<HistoryItem, { kind: "userMessage" }>;

function keptAndIntent(
	{ asked }: Pick<CompactionPlan, "asked">,
	kept: readonly KeptMessage[],
	request: string,
	quoted: readonly string[],
): readonly HistoryItem[] {
	const active = kept.find(({ original }) => original === request);
	const quotes = active === undefined ? [] : chooseQuotes(kept, active, quoted);
	const marked = ({ original }: KeptMessage) => makeMark(original, request, asked);
	const messages = kept.flatMap((message, index) => {
		if (quotes.includes(message)) return [];
		const after = quotes.filter((quote) => kept.indexOf(quote) < index).length;
		return [asMessage(message.text, { after, ...marked(message) })];
	});
	if (active === undefined) return messages;
	const words = quotes.includes(active) ? active.text : cutToFit(active.text, SHOWN_TOKENS);
	const recent = quotes.filter((message) => message !== active).map(({ text }) => text);
	const intent = asHistoryItem(compactedIntent.of({ text: writeIntent(words, recent) }));
	return [...messages, { ...intent, quotes: quotes.map(({ text }) => text), marks: quotes.map(marked) }];
}

/** The messages quoted in the intent, oldest first: the request, the newest ones, and those that the model quoted. */
function chooseQuotes(
	kept: readonly KeptMessage[],
	active: KeptMessage,
	quoted: readonly string[],
): readonly KeptMessage[] {
	const others = kept.filter((message) => message !== active && isQuotable(message));
	const recent = others.filter(
		({ original }, index) => index >= others.length - RECENT_MESSAGES || quoted.includes(original),
	);
	let chars = 0;
	const chosen = [...(isQuotable(active) ? [active] : []), ...recent.reverse()].filter(({ text }) => {
		if (chars + text.length > MAX_QUOTE_CHARS) return false;
		chars += text.length;
		return true;
	});
	return kept.filter((message) => chosen.includes(message));
}

/** True if the message is complete and a fragment would not have to escape anything in it. */
function isQuotable({ original, text }: KeptMessage): boolean {
	return text === original && text.length <= MAX_QUOTE_CHARS && escapeMarkers(text) === text;
}

/** The model's summary within its limit: its description of the task first, the line to resume at always last. */
function boundSummary({ context, summary }: CheckedSummary, tokens: number): string {
	const last = resumeLine(summary) ?? "";
	const body = summary.trimEnd().slice(0, -last.length).trimEnd();
	const text = [context, body].filter((part) => part !== "").join("\n\n");
	const line = cutToFit(last, Math.floor(tokens / 2)).replaceAll("\n", " ");
	return withoutQuoteTags(`${cutToFit(text, tokens - estimateTokens(line))}\n${line}`);
}

function kindOf(item: HistoryItem): string {
	return item.kind === "fragment" ? item.fragment : item.kind;
}
