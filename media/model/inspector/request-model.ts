import { nameContext } from "../../../l10n/context.ts";
import { countOf, type Message, t } from "../../../l10n/t.ts";
import type { InspectorItem, InspectorState } from "../../inspector-wire.ts";

/** One kind of item in the request, with its share of the window. */
export interface KindTotal {
	readonly kind: string;
	readonly name: string;
	readonly items: number;
	readonly tokens: number;
	/** Percent of the bar. */
	readonly percent: number;
}

/** Items that were added together: with every request, with one turn, or with the next one. */
export interface Group {
	readonly key: string;
	readonly title: string;
	readonly tokens: number;
	readonly items: readonly InspectorItem[];
}

export interface RequestModel {
	/** Largest first. */
	readonly kinds: readonly KindTotal[];
	readonly groups: readonly Group[];
	/** Origins of the items. */
	readonly origins: readonly string[];
	readonly cachedTokens: number;
	/** The first item that is not in the cache, if others are. */
	readonly breaker: InspectorItem | undefined;
	/** Position on the bar at which compaction starts automatically. */
	readonly compactPercent: number;
}

export function summarizeRequest(state: InspectorState): RequestModel {
	const scale = Math.max(state.effectiveWindow, state.tokens, 1);
	const cached = state.items.filter((item) => item.cached);
	return {
		kinds: kindTotals(state.items, scale),
		groups: groupByTurn(state),
		origins: [...new Set(state.items.map(({ origin }) => origin))].sort(),
		cachedTokens: sumTokens(cached),
		breaker: cached.length === 0 ? undefined : state.items.find(({ index }) => index === state.firstUncached),
		compactPercent: (100 * Math.min(state.autoCompactLimit, scale)) / scale,
	};
}

/** Display name of one item of a kind. */
export function nameItem(kind: string): string {
	const name = NAMES[kind]?.[0];
	return name === undefined ? nameContext(kind) : t(name);
}

/** Display name of a kind. */
export function nameKind(kind: string): string {
	const name = NAMES[kind]?.[1];
	return name === undefined ? nameContext(kind) : t(name);
}

const NAMES: Readonly<Record<string, readonly [one: Message, all: Message]>> = {
	instructions: ["base instructions", "base instructions"],
	tools: ["tool descriptions", "tool descriptions"],
	userMessage: ["your message", "your messages"],
	userImage: ["your image", "your images"],
	sealedSummary: ["encrypted summary", "encrypted summaries"],
	agentMessage: ["answer", "answers"],
	reasoning: ["reasoning", "reasoning"],
	toolCall: ["tool call", "tool calls"],
	toolOutput: ["tool result", "tool results"],
};

function kindTotals(items: readonly InspectorItem[], scale: number): readonly KindTotal[] {
	const byKind = Map.groupBy(items, ({ kind }) => kind);
	return [...byKind]
		.map(([kind, own]) => {
			const tokens = sumTokens(own);
			return { kind, name: nameKind(kind), items: own.length, tokens, percent: (100 * tokens) / scale };
		})
		.sort((one, other) => other.tokens - one.tokens);
}

function groupByTurn({ items, compactedTurns = 0 }: InspectorState): readonly Group[] {
	const groups: { key: string; title: string; items: InspectorItem[] }[] = [];
	for (const item of items) {
		const { key, title } = chooseGroup(item, compactedTurns);
		const open = groups.at(-1);
		if (open?.key === key) open.items.push(item);
		else groups.push({ key, title, items: [item] });
	}
	return groups.map((group) => ({ ...group, tokens: sumTokens(group.items) }));
}

function chooseGroup(item: InspectorItem, compacted: number): { readonly key: string; readonly title: string } {
	if (item.compacted) {
		return { key: "compacted", title: countOf(compacted, "{0} compacted turn", "{0} compacted turns") };
	}
	if (item.turn !== undefined) return { key: `turn ${item.turn}`, title: t("Turn {0}", item.turn) };
	if (item.role === "system") return { key: "fixed", title: t("Sent with every request") };
	return { key: "next", title: t("Added by the next turn") };
}

function sumTokens(items: readonly InspectorItem[]): number {
	return items.reduce((sum, { tokens }) => sum + tokens, 0);
}
