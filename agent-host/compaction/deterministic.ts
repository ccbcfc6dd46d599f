import { compactedContext, compactedIntent, historyBridge } from "../context/fragments/compacted.ts";
import { asHistoryItem, type HistoryItem } from "../history/history-item.ts";
import { chooseMessages, type KeptMessage } from "./choose.ts";
import { makeMark } from "./compaction-words.ts";
import { cutToFit } from "./cut-to-fit.ts";
import { listImages } from "./images.ts";
import { historyTokens, itemTokens } from "./measure.ts";
import { type CompactionPlan, isWorldText } from "./plan-compaction.ts";
import { asMessage, type Replacement, replaceByWords, reportOn } from "./replacement.ts";

/** The results of the last calls are kept as long as anything else can be removed. */
const LAST_CALLS = 4;
const PLAN_TOOL = "update_plan";
const LEFT_OUT = "[This result was removed to free context. Call the tool again, or recall, if you need it.]";
/** Share of the usable window to shrink to, so that the next compaction is some time away. */
const TARGET_SHARE = 0.5;
/** Share of the previous size that must not be exceeded, otherwise the compaction is not worth it. */
const BEFORE_SHARE = 0.7;
const LAST_OUTPUT_TOKENS = 200;
/** Fragments that an earlier compaction left in place of the history before it. */
const CARRIED: ReadonlySet<string> = new Set([compactedIntent.kind, compactedContext.kind]);

/**
 * Compacts without a model: removes the oldest tool results first, then the oldest texts and calls, and cuts the user's
 * messages to their budget. The plan and the last steps are kept longest. If that is still too much, only the user's
 * messages are kept.
 */
export function trimHistory(plan: CompactionPlan): Replacement {
	const { room, request: active } = plan;
	const bridge = asHistoryItem(historyBridge.of({ turns: plan.allTurns, how: "trimmed" }));
	const target = Math.min(room.soft * TARGET_SHARE, plan.before * BEFORE_SHARE - plan.around) - itemTokens(bridge);
	const kept = chooseMessages(plan, active, []);
	const images = new Set<HistoryItem>(listImages(plan.covered, [active, ...plan.asked]));
	const trimming = new Trimming(plan.covered, images, Math.floor(target));
	trimming.outputs();
	trimming.texts();
	trimming.messages(new Map(kept.map(({ original, text }) => [original, text])));
	trimming.lastSteps();
	const items = [...missingPins(plan, trimming.items), bridge, ...trimming.items];
	if (historyTokens(items) > room.soft) return replaceByWords(plan, active);
	const report = reportOn(plan, items, kept);
	return {
		items: withMarks(plan, kept, items),
		report: { ...report, strategy: "deterministic", summary: "", repaired: 0 },
	};
}

/** Marks each kept message with its role, because the beginnings of its turns are no longer in the history. */
function withMarks(
	{ request, asked }: CompactionPlan,
	kept: readonly KeptMessage[],
	items: readonly HistoryItem[],
): readonly HistoryItem[] {
	const originals = new Map(kept.map(({ original, text }) => [text, original]));
	const marked = (text: string) => makeMark(originals.get(text) ?? text, request, asked);
	return items.map((item) => {
		if (item.kind === "userMessage")
			return asMessage(item.text, { after: item.kept?.after ?? 0, ...marked(item.text) });
		return item.kind === "fragment" && item.quotes !== undefined ? { ...item, marks: item.quotes.map(marked) } : item;
	});
}

// Messages that were pinned after an earlier compaction had dropped them.
function missingPins({ pinned, record }: CompactionPlan, items: readonly HistoryItem[]): readonly HistoryItem[] {
	const there = new Set(items.map((item) => (item.kind === "userMessage" ? item.text : "")));
	return pinned
		.filter((text) => !record.includes(text) && !there.has(text))
		.map((text) => ({ kind: "userMessage", text }));
}

/** A history while it is trimmed; each stage stops as soon as the target is reached. */
class Trimming {
	items: readonly HistoryItem[];
	readonly #target: number;
	readonly #last: ReadonlySet<string>;
	/** Images of the unanswered messages. */
	readonly #images: ReadonlySet<HistoryItem>;
	#tokens: number;

	constructor(covered: readonly HistoryItem[], images: ReadonlySet<HistoryItem>, target: number) {
		this.#images = images;
		this.items = covered.filter((item) => !isWorldText(item) && !isBridge(item));
		this.#target = target;
		this.#tokens = historyTokens(this.items);
		this.#last = lastCalls(this.items);
	}

	outputs(): void {
		this.#each((item) => {
			if (item.kind !== "toolOutput" || this.#last.has(item.callId)) return item;
			return { ...item, output: LEFT_OUT };
		});
	}

	texts(): void {
		const gone = new Set<string>();
		this.#each((item) => {
			switch (item.kind) {
				case "userMessage":
				case "sealedSummary":
					return item;
				case "userImage":
					return this.#images.has(item) ? item : undefined;
				case "fragment":
					return CARRIED.has(item.fragment) ? item : undefined;
				case "agentMessage":
				case "reasoning":
					return undefined;
				case "toolCall":
					if (this.#last.has(item.callId)) return item;
					gone.add(item.callId);
					return undefined;
				case "toolOutput":
					return gone.has(item.callId) ? undefined : item;
			}
		});
		this.#drop(gone);
	}

	messages(kept: ReadonlyMap<string, string>): void {
		this.#each((item) => {
			if (item.kind !== "userMessage") return item;
			const text = kept.get(item.text);
			return text === undefined ? undefined : { ...item, text };
		});
	}

	lastSteps(): void {
		this.#each((item) =>
			item.kind === "toolOutput" ? { ...item, output: cutToFit(item.output, LAST_OUTPUT_TOKENS) || LEFT_OUT } : item,
		);
		const gone = new Set<string>();
		this.#each((item) => {
			if (item.kind === "userImage" || item.kind === "sealedSummary") return undefined;
			if (item.kind === "fragment" && item.fragment === compactedContext.kind) return undefined;
			if (item.kind !== "toolCall") return item;
			gone.add(item.callId);
			return undefined;
		});
		this.#drop(gone);
	}

	/** Oldest first, until the target is reached; a change that does not shrink an item is skipped. */
	#each(change: (item: HistoryItem) => HistoryItem | undefined): void {
		if (this.#tokens <= this.#target) return;
		const next: HistoryItem[] = [];
		for (const item of this.items) {
			const changed = this.#tokens <= this.#target ? item : change(item);
			const freed = itemTokens(item) - (changed === undefined ? 0 : itemTokens(changed));
			this.#tokens -= Math.max(0, freed);
			if (changed !== undefined) next.push(freed > 0 ? changed : item);
		}
		this.items = next;
	}

	#drop(calls: ReadonlySet<string>): void {
		if (calls.size === 0) return;
		this.items = this.items.filter((item) => item.kind !== "toolOutput" || !calls.has(item.callId));
		this.#tokens = historyTokens(this.items);
	}
}

function lastCalls(items: readonly HistoryItem[]): ReadonlySet<string> {
	const calls = items.filter((item) => item.kind === "toolCall");
	const plan = calls.findLast(({ name }) => name === PLAN_TOOL);
	return new Set([...calls.slice(-LAST_CALLS), ...(plan === undefined ? [] : [plan])].map(({ callId }) => callId));
}

function isBridge(item: HistoryItem): boolean {
	return item.kind === "fragment" && item.fragment === historyBridge.kind;
}
