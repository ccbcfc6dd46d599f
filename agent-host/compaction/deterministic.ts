import { compactedContext, compactedIntent, historyBridge } from "../context/fragments/compacted.ts";
import { asHistoryItem, type HistoryItem } from "../history/history-item.ts";
import { chooseMessages, type KeptMessage } from "./choose.ts";
import { markOf } from "./compaction-words.ts";
import { cutToFit } from "./cut-to-fit.ts";
import { imagesWith } from "./images.ts";
import { historyTokens, itemTokens } from "./measure.ts";
import { type CompactionPlan, statesWorld } from "./plan-compaction.ts";
import { asMessage, type Replacement, replaceByWords, reportOn } from "./replacement.ts";

/** Calls whose results stay while anything else can go. */
const LAST_CALLS = 4;
const PLAN_TOOL = "update_plan";
const LEFT_OUT = "[This result was removed to free context. Call the tool again, or recall, if you need it.]";
/** Of what may be filled: it should last for a while. */
const TARGET_SHARE = 0.5;
/** Of what there was: it must be worth it. */
const BEFORE_SHARE = 0.7;
const LAST_OUTPUT_TOKENS = 200;
/** What an earlier compaction left of all that was before it. */
const CARRIED: ReadonlySet<string> = new Set([compactedIntent.kind, compactedContext.kind]);

/**
 * Makes room without a model: oldest tool results first, then oldest texts and calls, the user's messages down to their
 * budget; the plan and the last steps stay longest. When even that is too much, only the user's words do.
 */
export function trimHistory(plan: CompactionPlan): Replacement {
	const { room, request: active } = plan;
	const bridge = asHistoryItem(historyBridge.of({ turns: plan.allTurns, how: "trimmed" }));
	const target = Math.min(room.soft * TARGET_SHARE, plan.before * BEFORE_SHARE - plan.around) - itemTokens(bridge);
	const kept = chooseMessages(plan, active, []);
	const images = new Set<HistoryItem>(imagesWith(plan.covered, [active, ...plan.asked]));
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

/** Says of each message that stays what it is, since the turns that it was said in have no beginning any more. */
function withMarks(
	{ request, asked }: CompactionPlan,
	kept: readonly KeptMessage[],
	items: readonly HistoryItem[],
): readonly HistoryItem[] {
	const originals = new Map(kept.map(({ original, text }) => [text, original]));
	const marked = (text: string) => markOf(originals.get(text) ?? text, request, asked);
	return items.map((item) => {
		if (item.kind === "userMessage")
			return asMessage(item.text, { after: item.kept?.after ?? 0, ...marked(item.text) });
		return item.kind === "fragment" && item.quotes !== undefined ? { ...item, marks: item.quotes.map(marked) } : item;
	});
}

// Pinned after an earlier compaction had dropped them.
function missingPins({ pinned, record }: CompactionPlan, items: readonly HistoryItem[]): readonly HistoryItem[] {
	const there = new Set(items.map((item) => (item.kind === "userMessage" ? item.text : "")));
	return pinned
		.filter((text) => !record.includes(text) && !there.has(text))
		.map((text) => ({ kind: "userMessage", text }));
}

/** A history on its way to its target; each stage stops as soon as it is there. */
class Trimming {
	items: readonly HistoryItem[];
	readonly #target: number;
	readonly #last: ReadonlySet<string>;
	/** Those that came with what the user waits for. */
	readonly #images: ReadonlySet<HistoryItem>;
	#tokens: number;

	constructor(covered: readonly HistoryItem[], images: ReadonlySet<HistoryItem>, target: number) {
		this.#images = images;
		this.items = covered.filter((item) => !statesWorld(item) && !isBridge(item));
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

	/** Oldest first, until the target is reached; a change that makes nothing smaller is not made. */
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
