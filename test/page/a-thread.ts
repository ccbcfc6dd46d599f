import type { ItemId, TurnId } from "../../agent-host/protocol/ids.ts";
import type { PublishedEvent, ThreadEvent } from "../../agent-host/protocol/thread/events.ts";
import type { Item } from "../../agent-host/protocol/thread/item.ts";

type EnvelopeSummary = Extract<ThreadEvent, { readonly type: "turnStarted" }>["envelope"];
/** Of the newest turn, unless it names another. */
type Loose<T> = T extends unknown ? Omit<T, "turnId"> & { readonly turnId?: string } : never;
type LooseItem = Item extends infer T ? (T extends Item ? Omit<T, "id"> & { readonly id?: string } : never) : never;

/** Writes a thread event by event, numbering as the host does. */
export class AThread {
	readonly events: PublishedEvent[] = [];
	#seq = 0;
	#turn = 0;
	#item = 0;

	turn(change: Partial<EnvelopeSummary> = {}): this {
		this.#turn++;
		const envelope = { provider: "demo", model: "demo", window: 100_000, roots: [], trusted: true, tools: [] };
		return this.add({ type: "turnStarted", envelope: { ...envelope, ...change } });
	}

	item(item: LooseItem): this {
		return this.add({ type: "itemCompleted", item: this.#withId(item) });
	}

	begin(item: LooseItem): this {
		return this.add({ type: "itemStarted", item: this.#withId(item) });
	}

	ask(text: string): this {
		return this.item({ kind: "userMessage", messageKind: "plain", text });
	}

	answer(text: string): this {
		return this.item({ kind: "agentMessage", text });
	}

	end(): this {
		return this.add({ type: "turnCompleted", status: "completed" });
	}

	add(event: Loose<ThreadEvent>): this {
		this.events.push(this.next(event));
		return this;
	}

	/** The next event, for sending it alone. */
	next(event: Loose<ThreadEvent>): PublishedEvent {
		this.#seq++;
		return { seq: this.#seq, at: 0, event: this.#ofTurn(event) };
	}

	delta(itemId: string, offset: number, text: string): PublishedEvent {
		const item = { itemId: itemId as ItemId, itemKind: "agentMessage" } as const;
		return { at: 0, event: this.#ofTurn({ type: "itemDelta", ...item, offset, text }) };
	}

	#ofTurn(event: Loose<ThreadEvent>): ThreadEvent {
		return { turnId: `turn-${this.#turn}` as TurnId, ...event } as ThreadEvent;
	}

	#withId(item: LooseItem): Item {
		this.#item++;
		return { ...item, id: (item.id ?? `item-${this.#item}`) as ItemId } as Item;
	}
}

/** An answer in flight, and the deltas that will make it long. */
export function anAnswerInFlight() {
	const thread = new AThread().turn().ask("Write a lot").begin({ kind: "agentMessage", id: "long", text: "" });
	const pieces = Array.from({ length: 20_000 }, (_, index) => (index % 40 === 39 ? "end.\n\n" : "word "));
	let offset = 0;
	const deltas = pieces.map((text) => {
		const delta = thread.delta("long", offset, text);
		offset += text.length;
		return delta;
	});
	return { events: thread.events, deltas, text: pieces.join("") };
}
