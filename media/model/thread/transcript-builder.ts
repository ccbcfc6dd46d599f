import type { Entry } from "./entry.ts";

interface Threadlike {
	readonly entries: readonly Entry[];
	readonly live: ReadonlyMap<string, string>;
}

/** A transcript while a batch of events is applied. The entries are copied once, on the first write. */
export class TranscriptBuilder<T extends Threadlike> {
	#value: T;
	#entries: Entry[] | undefined;

	constructor(transcript: T) {
		this.#value = transcript;
	}

	/** Current state without the entries. */
	get value(): Omit<T, "entries"> & Pick<T, "live"> {
		return this.#value;
	}

	seal(): T {
		return this.#entries ? { ...this.#value, entries: this.#entries } : this.#value;
	}

	set(change: Partial<T>): void {
		this.#value = { ...this.#value, ...change };
	}

	add(entry: Entry): void {
		this.#own().push(entry);
	}

	place(entry: Entry): void {
		const known = this.find(entry.turnId, entry.key);
		if (known) this.replace(known, entry);
		else this.add(entry);
	}

	replace(known: Entry, entry: Entry): void {
		if (known === entry) return;
		const entries = this.#own();
		entries[entries.lastIndexOf(known)] = entry;
	}

	find(turnId: string, key: string): Entry | undefined {
		for (const entry of this.entriesOf(turnId)) if (entry.key === key) return entry;
		return undefined;
	}

	/** The newest matching entry of any turn. */
	findAnywhere(fits: (entry: Entry) => boolean): Entry | undefined {
		return this.listEntries().findLast(fits);
	}

	/** Entries of the newest turn, newest first. Only that turn can still change; for others nothing is returned. */
	*entriesOf(turnId: string): Generator<Entry> {
		const entries = this.listEntries();
		for (let index = entries.length - 1; index >= 0; index--) {
			const entry = entries[index];
			if (entry?.turnId !== turnId) return;
			yield entry;
		}
	}

	listEntries(): readonly Entry[] {
		return this.#entries ?? this.#value.entries;
	}

	setEntries(entries: readonly Entry[]): void {
		this.#entries = [...entries];
	}

	/** Removes entries of the newest turn and returns them, oldest first. */
	take<E extends Entry>(turnId: string, isWanted: (entry: Entry) => entry is E): readonly E[] {
		const turn = [...this.entriesOf(turnId)].reverse();
		const taken = turn.filter(isWanted);
		if (taken.length > 0) this.#own().splice(-turn.length, turn.length, ...turn.filter((entry) => !isWanted(entry)));
		return taken;
	}

	/** Removes the newest entry if it fits. */
	dropLast(fits: (entry: Entry) => boolean): void {
		const last = this.listEntries().at(-1);
		if (last === undefined || !fits(last)) return;
		this.#own().pop();
		this.dropLive(last.key);
	}

	setLive(itemId: string, text: string): void {
		this.#value = { ...this.#value, live: new Map(this.#value.live).set(itemId, text) };
	}

	dropLive(itemId: string): void {
		if (!this.#value.live.has(itemId)) return;
		const live = new Map(this.#value.live);
		live.delete(itemId);
		this.#value = { ...this.#value, live };
	}

	#own(): Entry[] {
		this.#entries ??= [...this.#value.entries];
		return this.#entries;
	}
}
