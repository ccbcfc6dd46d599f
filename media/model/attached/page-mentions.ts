import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Mention, ToWebview } from "../../wire.ts";
import { insertMention, type MentionStart, readMention } from "./mention-text.ts";

export interface MentionPorts {
	readonly newId: () => string;
	readonly ask: (id: string, query: string) => void;
	/** Inserts a chosen mention: the new text, and where the caret goes. */
	readonly attachDropped: (mention: Mention, text: string, caret: number) => void;
}

/** The list that opens at an @. Sends one query at a time, so fast typing cannot outrun the answers. */
export class PageMentions {
	readonly found: Signal<readonly Mention[]> = signal([]);
	readonly active = signal(0);
	/** Whether any answer has arrived since the list opened. */
	readonly isAnswered = signal(false);
	/** Why some files can't be found. */
	readonly missing: Signal<string | undefined> = signal(undefined);
	readonly isOpen: ReadonlySignal<boolean> = computed(() => this.#at.value !== undefined);
	readonly query: ReadonlySignal<string> = computed(() => this.#at.value?.query ?? "");
	readonly #at: Signal<MentionStart | undefined> = signal(undefined);
	readonly #ports: MentionPorts;
	#text = "";
	#asked: { readonly id: string; readonly query: string } | undefined;
	/** The last query that was answered since the list opened. */
	#answered: string | undefined;
	/** The query that the shown list belongs to. */
	#foundFor: string | undefined;
	/** The user pressed Enter before the answer to the latest query arrived. */
	#isChosen = false;
	/** The user went to another entry of the list. */
	#isMoved = false;
	/** Position of the @ at which the user closed the list; it stays closed there. */
	#closedAt: number | undefined;

	constructor(ports: MentionPorts) {
		this.#ports = ports;
	}

	/** Opens, updates or closes the list for the caret; undefined while text is selected. */
	update(text: string, caret: number | undefined): void {
		const at = caret === undefined ? undefined : readMention(text, caret);
		if (at === undefined || at.start !== this.#closedAt) this.#closedAt = undefined;
		this.#text = text;
		if (at === undefined || at.start === this.#closedAt) {
			this.#shut();
			return;
		}
		if (at.query !== this.#at.value?.query) {
			this.active.value = 0;
			this.#isMoved = false;
			this.#isChosen = false;
		}
		this.#at.value = at;
		this.#askNext();
	}

	receive({ id, mentions, isWhole, missing }: Extract<ToWebview, { readonly type: "mentions" }>): void {
		if (this.#asked?.id !== id) return;
		// The first part of an answer may hold nothing yet. The list before it stays, so that Enter does not send the prompt.
		const isAwaited = !isWhole && mentions.length === 0;
		if (this.isOpen.value && !isAwaited) {
			this.active.value = this.#findActive(mentions);
			this.found.value = mentions;
			this.missing.value = missing;
			this.#foundFor = this.#asked.query;
			this.isAnswered.value = true;
		}
		// Further answers to an outdated query would only delay the next query.
		if (isWhole || this.#asked.query !== this.#at.value?.query) {
			this.#answered = this.#asked.query;
			this.#asked = undefined;
		}
		this.#askNext();
		if (this.#isChosen && isWhole && this.#isUpToDate()) this.choose();
	}

	move(by: number): void {
		const count = this.found.value.length;
		if (count === 0) return;
		this.active.value = (this.active.value + by + count) % count;
		this.#isMoved = true;
	}

	/** Inserts the active mention once the list matches what is typed; an outdated entry is not what the user means. */
	chooseActive(): void {
		if (this.#isUpToDate()) this.choose();
		else this.#isChosen = true;
	}

	choose(index = this.active.value): void {
		const mention = this.found.value[index];
		const at = this.#at.value;
		if (mention === undefined || at === undefined) return;
		const { text, caret } = insertMention(this.#text, at, mention.name);
		this.#shut();
		this.#ports.attachDropped(mention, text, caret);
	}

	close(): void {
		this.#closedAt = this.#at.value?.start;
		this.#shut();
	}

	#isUpToDate(): boolean {
		return this.#foundFor === this.#at.value?.query;
	}

	/** A later part of an answer may put others before the one that the user went to. */
	#findActive(mentions: readonly Mention[]): number {
		const active = this.found.value[this.active.value]?.key;
		const at = this.#isMoved ? mentions.findIndex(({ key }) => key === active) : -1;
		return at === -1 ? Math.min(this.active.value, Math.max(mentions.length - 1, 0)) : at;
	}

	#askNext(): void {
		const query = this.#at.value?.query;
		if (query === undefined || this.#asked !== undefined || this.#answered === query) return;
		this.#asked = { id: this.#ports.newId(), query };
		this.#ports.ask(this.#asked.id, query);
	}

	#shut(): void {
		this.#at.value = undefined;
		this.found.value = [];
		this.missing.value = undefined;
		this.isAnswered.value = false;
		this.#asked = undefined;
		this.#answered = undefined;
		this.#foundFor = undefined;
		this.#isChosen = false;
	}
}
